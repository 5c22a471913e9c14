# Seconds of the steps of a script, for scripts that source this file and run their commands with `step`. The table is printed when the
# script ends, also when a step fails. A script that runs inside another one adds its steps to the table of the outer one.

steps_owner=
if [[ -z ${STEPS_FILE-} ]]; then
    STEPS_FILE=$(mktemp)
    export STEPS_FILE
    steps_owner=yes
fi
step_name=
step_start=0

# Runs a command as a step: `step NAME COMMAND…`.
step() {
    step_name=$1
    step_start=$SECONDS
    "${@:2}"
    record_step "$step_name"
}

record_step() {
    printf '%8d  %s\n' $((SECONDS - step_start)) "$1" >>"$STEPS_FILE"
    step_name=
}

print_steps() {
    if [[ -n $step_name ]]; then
        record_step "$step_name: failed"
    fi
    if [[ -n $steps_owner ]]; then
        printf '\n%8s  %s\n' seconds step
        cat "$STEPS_FILE"
        printf '%8d  %s\n' $SECONDS total
        rm "$STEPS_FILE"
    fi
}
trap print_steps EXIT

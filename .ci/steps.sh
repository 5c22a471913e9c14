# Steps of a script, for scripts that source this file and run their commands with `step`. A step that fails does not hide the others:
# the script goes on, prints the seconds of every step when it ends, and then fails. A script that runs inside another one, with
# `steps`, adds its steps to the table of the outer one.

steps_owner=
if [[ -z ${STEPS_FILE-} ]]; then
    STEPS_FILE=$(mktemp)
    export STEPS_FILE
    steps_owner=yes
fi

# Runs a command as a step: `step NAME COMMAND…`. The command may be a function, in which a failing command ends the function.
step() {
    local start=$SECONDS status
    set +e
    (
        set -e
        "${@:2}"
    )
    status=$?
    set -e
    note_step $((SECONDS - start)) "$1" $status
}

# Begins a step that runs beside those that follow, until `join`. Its output is printed there.
beside() {
    local output
    output=$(mktemp)
    (
        start=$SECONDS
        set +e
        (
            set -e
            "${@:2}"
        ) >"$output" 2>&1
        note_step $((SECONDS - start)) "$1" $?
    ) &
    besides+=("$output")
}

# Waits for the steps of `beside`.
join() {
    local output
    wait
    for output in "${besides[@]}"; do
        cat "$output"
        rm "$output"
    done
    besides=()
}
besides=()

# Runs a script with steps of its own.
steps() {
    "$@" || true
}

note_step() {
    local failed=
    [[ $3 = 0 ]] || failed=": FAILED"
    printf '%8d  %s%s\n' "$1" "$2" "$failed" >>"$STEPS_FILE"
}

# Prints the table and decides: any failed step is a failure of the script.
end_steps() {
    local status=$?
    if grep --quiet ': FAILED$' "$STEPS_FILE"; then
        status=1
    fi
    if [[ -n $steps_owner ]]; then
        printf '\n%8s  %s\n' seconds step
        cat "$STEPS_FILE"
        printf '%8d  %s\n' $SECONDS total
        rm "$STEPS_FILE"
    fi
    exit $status
}
trap end_steps EXIT

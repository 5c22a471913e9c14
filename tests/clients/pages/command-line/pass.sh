# Stands for the password manager.
pass() {
    echo hunter3
}

//! Tests of `user::access_string`.

use nephos_elasticache::parts::access_string::AccessString;

#[test]
fn access_strings_are_printed_in_the_order_of_the_engine() {
    for (given, printed) in [
        ("on ~* +@all", "on ~* +@all"),
        ("off", "off -@all"),
        ("+get ~a on", "on ~a -@all +get"),
        ("on ~app::* -@all +@read", "on ~app::* -@all +@read"),
        ("ON ALLKEYS ALLCOMMANDS AllChannels", "on ~* &* +@all"),
        ("on off on ~a ~a resetkeys ~b", "on ~b -@all"),
        ("on %R~a %W~a %RW~b %r~c %W~d", "on ~a ~b %R~c %W~d -@all"),
        ("on ~a %RW~*", "on ~* -@all"),
        ("on %R~* %W~*", "on ~* -@all"),
        ("on &a &b resetchannels &c", "on resetchannels &c -@all"),
        ("on &a &*", "on &* -@all"),
        ("on +get -@all +set", "on -@all +set"),
        ("on +@all -@dangerous -get +GET", "on +@all -@dangerous +get"),
        ("on +config|get -config +config|set", "on -@all -config +config|set"),
        ("on nocommands +json.get", "on -@all +json.get"),
        ("on (~a +get) (%R~b\t+@read )", "on -@all (~a -@all +get) (%R~b -@all +@read)"),
        ("on () ( )", "on -@all (-@all) (-@all)"),
        ("on (~a +get) clearselectors (~c)", "on -@all (~c -@all)"),
    ] {
        assert_eq!(AccessString::parse(given).unwrap().to_string(), printed, "{given}");
    }
}

#[test]
fn invalid_rules_are_named() {
    for (given, message) in [
        ("", "it has no rules"),
        (" \t", "it has no rules"),
        ("on xyz", "unknown rule 'xyz'"),
        ("on ~", "unknown rule '~'"),
        ("on &", "unknown rule '&'"),
        ("on %~a", "unknown rule '%~a'"),
        ("on %X~a", "unknown rule '%X~a'"),
        ("on %Ra", "unknown rule '%Ra'"),
        ("on +", "unknown rule '+'"),
        ("on +@none", "unknown rule '+@none'"),
        ("on +a|b|c", "unknown rule '+a|b|c'"),
        ("on +get|", "unknown rule '+get|'"),
        ("on ~* ~a", "rule '~a' has no effect after '~*'"),
        ("on &* &a", "rule '&a' has no effect after '&*'"),
        ("on nopass", "rule 'nopass' is not allowed"),
        ("on RESETPASS", "rule 'RESETPASS' is not allowed"),
        ("reset on", "rule 'reset' is not allowed"),
        ("on >hunter2hunter2hunter2", "rule '>...' is not allowed"),
        ("on <hunter2", "rule '<...' is not allowed"),
        ("on #abc", "rule '#...' is not allowed"),
        ("on !abc", "rule '!...' is not allowed"),
        ("on>hunter2", "unknown rule 'on>...'"),
        ("((>hunter2)", "unknown rule '(>...'"),
        ("(~a))", "unknown rule '~a)'"),
        ("on (~a +get", "selector '(~a' is not closed"),
        ("on (~a (~b))", "unknown rule '(~b)'"),
        ("on (on)", "unknown rule 'on'"),
        ("on (~a nopass)", "rule 'nopass' is not allowed"),
    ] {
        let error = AccessString::parse(given).unwrap_err();
        assert_eq!(error.message(), format!("Invalid access string: {message}"), "{given}");
    }
}

#[test]
fn hints_name_the_nearest_rule() {
    for (given, hint) in
        [("on alkeys", "did you mean allkeys?"), ("on +@reads", "did you mean +@read?"), ("on nopas", "")]
    {
        let error = AccessString::parse(given).unwrap_err();
        assert!(error.to_string().contains(hint), "{error}");
    }
}

#[test]
fn appended_rules_follow_the_others() {
    let access = AccessString::parse("on ~a +@all -@write").unwrap();
    assert_eq!(access.append("~b +set off").unwrap().to_string(), "off ~a ~b +@all -@write +set");
    assert!(access.append(" ").is_err());
}

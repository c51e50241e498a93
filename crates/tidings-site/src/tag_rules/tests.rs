use super::*;

const FILE: &str = "\
open: {name: Open, roles: []}
union-only: {name: No roles, access_rule: union}
strict-only: {name: No roles, roles: [], access_rule: intersect}
staff: {name: Staff, roles: [editor, boss]}
press: {name: Press, roles: [writer, boss]}
guests: {name: Guests, roles: [guest], access_rule: union}
friends: {name: Friends, roles: [guest, friend], access_rule: union}
secret: {name: Secret, roles: [boss], access_rule: intersect}
";

#[test]
fn tags_resolve_as_the_other_program_has_it() {
    let rules = TagRules::parse(FILE.as_bytes()).unwrap();
    for (tags, roles) in [
        // No tags, unknown tags, and tags without roles: everybody.
        ("", "*"),
        ("unknown", "*"),
        ("open", "*"),
        ("open unknown union-only strict-only", "*"),
        // One with roles.
        ("staff", "boss editor"),
        ("staff open unknown", "boss editor"),
        ("guests", "guest"),
        ("secret", "boss"),
        // No rule at all: of all of them.
        ("staff press", "boss"),
        // Any union and no intersect: of any of them.
        ("guests friends", "friend guest"),
        ("staff guests", "boss editor guest"),
        ("staff press union-only", "boss editor writer"),
        // Any intersect: of all of them.
        ("staff secret", "boss"),
        ("staff press union-only strict-only", "boss"),
        ("guests friends strict-only", "guest"),
        // None left.
        ("guests secret", ""),
        ("staff guests strict-only", ""),
    ] {
        let expected = match roles {
            "*" => Access::Public,
            roles => Access::any_of(roles.split_whitespace().map(str::to_owned)),
        };
        assert_eq!(rules.access(tags.split_whitespace()), expected, "{tags}");
        assert_eq!(rules.access(tags.split_whitespace().rev()), expected, "{tags}");
    }
}

#[test]
fn what_is_written_is_read_back() {
    let mut rules = TagRules::parse(FILE.as_bytes()).unwrap();
    let odd = Tag {
        name: "true: \"x\" # y\n- z".to_owned(),
        roles: vec!["no".to_owned(), "12".to_owned(), "a: b".to_owned(), "é".to_owned()],
        access_rule: None,
    };
    rules.tags.insert("~".to_owned(), odd.clone());
    rules.tags.insert("1.0".to_owned(), odd);
    let written = rules.write();
    assert_eq!(TagRules::parse(written.as_bytes()).unwrap(), rules, "{written}");
    assert_eq!(TagRules::parse(TagRules::default().write().as_bytes()).unwrap().tags.len(), 0);
    let one = TagRules::parse(b"a:\n  roles: [x]\n  access_rule: union\nb:").unwrap();
    assert_eq!(one.tags["a"].name, "a");
    assert_eq!(
        one.write(),
        "a:\n  name: a\n  roles:\n  - x\n  access_rule: union\nb:\n  name: b\n  roles: []\n"
    );
}

#[test]
fn roles_are_read_in_every_form() {
    for file in [
        "- admin\n- editor\n",
        "roles: [admin, editor]",
        "- name: admin\n- id: editor\n  name: The Editor\n",
        "roles:\n  - id: admin\n    color: red\n  - editor\n  - ' '\n  - admin\n",
    ] {
        assert_eq!(parse_roles(file.as_bytes()).unwrap(), ["admin", "editor"], "{file}");
    }
    for none in ["", "# nothing\n", "[]", "roles:", "roles: []"] {
        assert!(parse_roles(none.as_bytes()).unwrap().is_empty(), "{none}");
    }
    assert!(parse_roles(b"admin").is_err());
    assert_eq!(write_roles(&["b".into(), "a".into(), "b".into()]), "- a\n- b\n");
    assert!(parse_roles(write_roles(&[]).as_bytes()).unwrap().is_empty());
    let odd = ["no".to_owned(), "007".to_owned(), "a b".to_owned()];
    assert_eq!(parse_roles(write_roles(&odd).as_bytes()).unwrap(), ["007", "a b", "no"]);
}

#[test]
fn an_error_says_where() {
    let error = TagRules::parse(b"a:\n  roles: [x]\nb:\n  access_rule: maybe\n").unwrap_err();
    assert_eq!(error.line, 4, "{error}");
    assert_eq!(TagRules::parse(b"a: {}\nb: \xff").unwrap_err().line, 2);
    assert!(TagRules::parse(b"- a\n- b\n").is_err());
}

#[test]
fn a_bomb_is_refused() {
    let mut bomb = String::from("a0: &a0 {roles: [x, x, x, x, x, x, x, x, x, x]}\n");
    for level in 1..9 {
        let many = vec![format!("*a{}", level - 1); 10].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} {{x: [{many}]}}\n"));
    }
    assert!(TagRules::parse(bomb.as_bytes()).is_err());
    for (open, close) in [("[", "]"), ("{a: ", "}"), ("- ", "")] {
        let deep = format!("a: {{x: {}{}}}", open.repeat(50_000), close.repeat(50_000));
        assert!(TagRules::parse(deep.as_bytes()).is_err());
        assert!(parse_roles(open.repeat(50_000).as_bytes()).is_err());
    }
}

#[test]
fn rules_written_in_place_restrict_no_less_unless_they_say_so() {
    const LAST: &str = "\
staff: {name: Staff, roles: [staff]}
press: {name: Press, roles: [press, boss]}
strict: {name: Strict, access_rule: intersect}
open: {name: Open}
";
    let lines = |without: &str| -> String {
        let kept = LAST.lines().filter(|line| !line.starts_with(without));
        kept.map(|line| format!("{line}\n")).collect()
    };
    for refused in [
        lines("staff"),
        lines("press"),
        lines("strict"),
        LAST.replace(", roles: [staff]", ""),
        LAST.replace(", access_rule: intersect", ""),
        // Cut off, below a tag that is new.
        format!("new: {{roles: [x]}}\n{}\n", LAST.lines().next().unwrap()),
        format!("new: {{roles: [x]}}\n{}", LAST.replace("boss", "bosses").trim_end()),
        "# Nothing yet.\nnew: {}\n".to_owned(),
    ] {
        let read = |is_moved| {
            TagRules::parse_replacing(refused.as_bytes(), Some(LAST.as_bytes()), is_moved)
        };
        assert!(read(false).is_err(), "{refused}");
        assert!(read(true).is_ok(), "{refused}");
        assert!(TagRules::parse_replacing(refused.as_bytes(), None, false).is_ok(), "{refused}");
    }
    for taken in [
        lines("open"),
        LAST.replace("roles: [staff]", "roles: []"),
        LAST.replace("roles: [staff]", "roles: [staff, boss]"),
        LAST.replace("access_rule: intersect", "access_rule: union"),
        LAST.replace("access_rule: intersect", "roles: []"),
        LAST.replace("[press, boss]", "[press]"),
        format!("new: {{roles: [x]}}\n{LAST}"),
        "{}".to_owned(),
        "{staff: {roles: [staff]}}\n".to_owned(),
    ] {
        let read = TagRules::parse_replacing(taken.as_bytes(), Some(LAST.as_bytes()), false);
        assert!(read.is_ok(), "{taken}: {read:?}");
    }
}

#[test]
fn a_rule_that_comes_to_tags_without_one_opens_them_only_if_it_is_whole() {
    // Without a rule, what has both tags is for the boss alone; with `union` for all three roles.
    const LAST: &str = "\
staff: {name: Staff, roles: [editor, boss]}
press: {name: Press, roles: [writer, boss]}
";
    let union = LAST.replace("boss]}\npress", "boss], access_rule: union}\npress");
    let access = |text: &str, is_moved| {
        let rules = TagRules::parse_replacing(text.as_bytes(), Some(LAST.as_bytes()), is_moved);
        rules.map(|rules| rules.access(["staff", "press"]))
    };
    let of = |roles: &str| Access::any_of(roles.split_whitespace().map(str::to_owned));
    assert_eq!(access(LAST, false).unwrap(), of("boss"));
    // The file says so itself, in place as well.
    assert_eq!(access(&union, false).unwrap(), of("boss editor writer"));
    assert_eq!(access(&union, true).unwrap(), of("boss editor writer"));
    // One that may be the beginning of a longer one opens nothing.
    let first_line = union.lines().next().unwrap();
    for cut in [first_line, &format!("{first_line}\n"), union.trim_end()] {
        assert!(access(cut, false).is_err(), "{cut}");
    }
}

//! Records in any order, with any memory.

use proptest::prelude::*;

use super::*;

fn lines(names: &[usize]) -> String {
    let line = |(place, name)| format!("http://e.example/{name:05},{place}\n");
    names.iter().enumerate().map(line).fold("uri,length\n".to_owned(), |all, one| all + &one)
}

#[test]
fn many_runs_are_merged_in_passes() {
    let scratch = tempfile::tempdir().unwrap();
    let names: Vec<usize> = (0..5_000).rev().collect();
    let text = lines(&names);
    let (resources, passed) = read_into(scratch.path(), 0, Format::Csv, text.as_bytes()).unwrap();
    assert_eq!(passed, []);
    let sorted = resources.iter().enumerate();
    assert_eq!(resources.len(), 5_000);
    for (place, resource) in sorted {
        assert_eq!(resource.uri, format!("http://e.example/{place:05}"));
        assert_eq!(resource.length, Some(4_999 - place as u64));
    }
    assert_eq!(scratch.path().read_dir().unwrap().count(), 0);
}

#[test]
fn files_are_made_only_where_memory_is_short() {
    let text = lines(&[3, 1, 2]);
    let nowhere = Path::new("/nowhere");
    assert!(read_into(nowhere, 1 << 20, Format::Csv, text.as_bytes()).is_ok());
    let error = read_into(nowhere, 1, Format::Csv, text.as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "could not make a temporary file in /nowhere");
}

proptest! {
    // Few cases, as most of them make more files than are merged at a time.
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn any_order_and_any_memory_give_the_same(
        names in Just((0..300).collect::<Vec<usize>>()).prop_shuffle(),
        memory in 0_usize..1_000,
    ) {
        let scratch = tempfile::tempdir().unwrap();
        let text = lines(&names);
        let (resources, passed) =
            read_into(scratch.path(), memory, Format::Csv, text.as_bytes()).unwrap();
        prop_assert_eq!(passed, []);
        let expected: Vec<String> = (0..300).map(|name| format!("{name:05}")).collect();
        prop_assert_eq!(uris(&resources), expected);
    }

    #[test]
    fn of_each_uri_the_last_line_counts(
        names in proptest::collection::vec(0_usize..40, 0..400),
        memory in 0_usize..1_000,
    ) {
        let scratch = tempfile::tempdir().unwrap();
        let text = lines(&names);
        let seen = read_into(scratch.path(), memory, Format::Csv, text.as_bytes()).unwrap();
        prop_assert_eq!(&seen, &read(Format::Csv, &text));
        let (resources, passed) = seen;
        prop_assert_eq!(resources.len() + passed.len(), names.len());
        for (place, name) in names.iter().enumerate() {
            let last = !names[place + 1..].contains(name);
            let line = place as u64 + 2;
            prop_assert_eq!(passed.iter().any(|(other, _)| *other == line), !last);
            let shown = resources.iter().any(|one| one.length == Some(place as u64));
            prop_assert_eq!(shown, last);
        }
    }
}

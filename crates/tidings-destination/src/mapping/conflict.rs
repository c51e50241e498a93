//! Files where folders are.
//!
//! On the Web `/a` and `/a/b` may both be there; in a file system `a` is one or the other. Which of
//! them came first decides, so these names are in no mapping: who keeps the copy remembers them.

/// The path of a file where there is a folder of that name: in the folder.
pub fn conflict_as_file(path: &str) -> String {
    format!("{path}/%_self")
}

/// The path of a file below a folder, if there is a file with the name of that folder: the name at
/// this place of the path, from 0, gets a suffix. Without a name at that place the path stays as it
/// is.
pub fn conflict_as_folder(path: &str, segment: usize) -> String {
    let mut names: Vec<&str> = path.split('/').collect();
    let folder = names.get(segment).map(|name| format!("{name}%_d"));
    if let Some(folder) = &folder {
        names[segment] = folder;
    }
    names.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_name_in_question_changes() {
        assert_eq!(conflict_as_file("a.example/a"), "a.example/a/%_self");
        assert_eq!(conflict_as_folder("a/b", 0), "a%_d/b");
        assert_eq!(conflict_as_folder("x/a/b/a", 1), "x/a%_d/b/a");
        assert_eq!(conflict_as_folder("a/b", 2), "a/b");
    }
}

//! A content root of both layouts with public and restricted objects, in a repository of git if there is
//! one, and on a small disk of its own if that can be mounted.

use std::fs;
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use jiff::Timestamp;

use crate::content_root::{Layout, Page, Root, Site, id_of, version_path};

/// A word that is in the path, the title and the text of each restricted object, and nowhere else.
pub(crate) const CANARY: &str = "quarzfalter";
/// How many pages stay.
pub(crate) const STEADY: usize = 60;
/// How many pages and objects are restricted.
pub(crate) const SECRET: usize = 6;

/// Pages that are for everybody on one branch, and not there on the other. All others stay as they are.
const CHANGING: [&str; 3] = ["/only-here", "/fresh/page", "/fresh/deep/page"];

pub(crate) const TAGS: &str = "staff:\n  name: Staff\n  roles: [staff]\n  access_rule: union\n\
                        press:\n  name: Press\n  roles: [press]\n";

/// For how long something has to be gone to be taken for deleted, with a margin.
const SETTLE: Duration = Duration::from_millis(1_500);
/// How long after that it may take until it is reported that it is there again.
const REPORT: Duration = Duration::from_secs(5);

pub(crate) struct Garden {
    pub(crate) root: Root,
    /// When the machine was so busy that something was gone for longer than it may be.
    stalls: Mutex<Vec<(Timestamp, Timestamp)>>,
    pub(crate) has_git: bool,
    pub(crate) has_disk: bool,
}

impl Drop for Garden {
    fn drop(&mut self) {
        if self.has_disk {
            let _ = Command::new("umount").arg("-l").arg(self.root.folder()).output();
        }
    }
}

pub(crate) fn secret_page(number: usize, version: &str) -> String {
    format!("---\ntitle: Hidden {CANARY} {number}\ntags: [staff]\n---\n{CANARY} {version}\n")
}

impl Garden {
    pub(crate) fn new() -> Self {
        let root = Root::new();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=24M", "tmpfs"]).arg(root.folder());
        let has_disk = mount.output().is_ok_and(|output| output.status.success());
        for folder in ["content", "pages"] {
            fs::create_dir_all(root.path(folder)).unwrap();
        }
        let mut garden = Self { root, stalls: Mutex::default(), has_git: false, has_disk };
        garden.plant("one");
        garden.root.write(".gitignore", "state/tidings\naside*\nfiller\n");
        garden.has_git = garden.git(&["init", "-q", "-b", "one"])
            && garden.git(&["add", "-A"])
            && garden.git(&["commit", "-qm", "one"])
            && garden.git(&["checkout", "-qb", "two"]);
        if garden.has_git {
            garden.plant("two");
            garden.root.write("pages/only-here.md", "# Only on this branch\n");
            garden.root.write(&format!("pages/{CANARY}-too.md"), secret_page(99, "two"));
            garden.plant_news();
            assert!(garden.git(&["add", "-A"]) && garden.git(&["commit", "-qm", "two"]));
            assert!(garden.git(&["checkout", "-q", "one"]));
        }
        garden
    }

    /// Writes all files, in one of two versions.
    pub(crate) fn plant(&self, version: &str) {
        let root = &self.root;
        for number in 0..STEADY {
            let words =
                format!("Open words, {}.\n", if number % 3 == 0 { version } else { "both" });
            root.put(Layout::Plain, &Page::new(&format!("open-{number}")).says(&words));
        }
        for number in 0..SECRET {
            root.write(&format!("pages/{CANARY}-{number}.md"), secret_page(number, version));
            let alias = format!("{CANARY}-object-{number}");
            let title = format!("Hidden {CANARY}");
            let page = Page::new(&alias).titled(&title);
            let id = id_of(&alias);
            // Once for everybody, and now for the staff.
            let open = Page::new("").alias(&alias).titled("Open then");
            root.version(id, 0, &open.sidecar(), format!("{CANARY} {version}\n"));
            root.version(
                id,
                1,
                &page.tagged(&["staff"]).sidecar(),
                format!("{CANARY} {version}\n"),
            );
            let name = format!("object-{number}");
            root.put(Layout::Versioned, &Page::new(&name).says("Open.\n"));
        }
        root.write("pages/team/_folder.toml", "roles = [\"staff\"]\n");
        root.write("pages/team/minutes.md", format!("# {CANARY} minutes\n{version}\n"));
        root.write("pages/team/photo.svg", format!("<svg>{CANARY}</svg>"));
        root.write(
            "pages/party/party.md",
            format!("---\nroles: [staff]\n---\n# {CANARY}\n{version}\n"),
        );
        root.write("pages/party/photo.svg", format!("<svg>{CANARY} {version}</svg>"));
        root.write("state/sys/tags.yaml", TAGS);
        root.write("state/sys/roles.yaml", "- press\n- staff\n");
    }

    /// Writes what only the second branch has: a tag, a folder and a page, and what each of them restricts. Git
    /// writes that first, by the order of the names.
    fn plant_news(&self) {
        let root = &self.root;
        root.write("state/sys/tags.yaml", format!("board:\n  roles: [board]\n{TAGS}"));
        let page =
            format!("---\ntitle: Hidden {CANARY}\ntags: [board]\n---\n{CANARY} for the board\n");
        root.write(&format!("pages/{CANARY}-board.md"), page);
        let alias = format!("{CANARY}-board-object");
        let object = Page::new(&alias).tagged(&["board"]);
        root.version(id_of(&alias), 0, &object.sidecar(), format!("{CANARY} for the board\n"));
        root.write("pages/board/2026.md", format!("# {CANARY} 2026\n"));
        root.write("pages/board/2026.svg", format!("<svg>{CANARY}</svg>"));
        root.write("pages/board/_folder.toml", "roles = [\"board\"]\n");
        root.write("pages/gallery.svg", format!("<svg>{CANARY} gallery</svg>"));
        let page = format!("---\nroles: [staff]\n---\n# {CANARY}\n![it](gallery.svg)\n");
        root.write(&format!("pages/{CANARY}-gallery.md"), page);
        for folder in ["fresh", "fresh/deep"] {
            root.write(&format!("pages/{folder}/page.md"), "# Fresh\n");
        }
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> bool {
        let mut command = Command::new("git");
        command.current_dir(self.root.folder()).args(arguments);
        for name in ["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"] {
            command.env(name, "Ada");
        }
        for name in ["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"] {
            command.env(name, "ada@example.org");
        }
        command.output().is_ok_and(|output| output.status.success())
    }

    /// The files that say who may see what, and those of restricted objects.
    pub(crate) fn guarded_files(&self) -> Vec<String> {
        let mut files = vec![
            "state/sys/tags.yaml".to_owned(),
            "state/sys/roles.yaml".to_owned(),
            "pages/team/_folder.toml".to_owned(),
            "pages/party/party.md".to_owned(),
        ];
        for number in 0..SECRET {
            files.push(format!("pages/{CANARY}-{number}.md"));
            let path = version_path(id_of(&format!("{CANARY}-object-{number}")), 1);
            files.extend([format!("{path}.ron"), path]);
        }
        files
    }

    /// Does something by which files are gone for a moment, and takes note if that was a long one.
    pub(crate) fn while_gone<T>(&self, work: impl FnOnce() -> T) -> T {
        let (begin, begun) = (Timestamp::now(), Instant::now());
        let done = work();
        if begun.elapsed() >= SETTLE {
            self.stalls.lock().unwrap().push((begin, Timestamp::now()));
        }
        done
    }

    /// How often files were gone for a long moment.
    pub(crate) fn stalls(&self) -> usize {
        self.stalls.lock().unwrap().len()
    }

    /// Whether an entry is of a time when files were gone for so long that they were deleted.
    fn is_of_stall(&self, entry: &str) -> bool {
        let text = entry.split("datetime=\"").nth(1).and_then(|rest| rest.split('"').next());
        let time: Timestamp = text.unwrap().parse().unwrap();
        let stalls = self.stalls.lock().unwrap();
        stalls.iter().any(|(begin, end)| (*begin..=*end + REPORT).contains(&time))
    }

    /// Deletions and creations that were reported of paths that stay as they are.
    pub(crate) fn false_changes(&self, site: &Site) -> Vec<String> {
        let text = site.text("/resourcesync/changelist.xml");
        let entries = text.split("<url>").skip(1);
        let is_false = |entry: &&str| {
            let is_changing = CHANGING.iter().any(|path| entry.contains(&format!("{path}</loc>")));
            let is_change = entry.contains("\"deleted\"") || entry.contains("\"created\"");
            !is_changing && is_change && !self.is_of_stall(entry)
        };
        entries.filter(is_false).map(str::to_owned).collect()
    }

    pub(crate) fn is_served(&self, site: &Site) -> bool {
        (0..STEADY).all(|number| site.status(&format!("/open-{number}")) == 200)
            && (0..SECRET).all(|number| site.status(&format!("/object-{number}")) == 200)
    }

    pub(crate) fn path(&self, name: &str) -> std::path::PathBuf {
        self.root.path(name)
    }

    pub(crate) fn folder(&self) -> std::path::PathBuf {
        self.root.folder()
    }
}

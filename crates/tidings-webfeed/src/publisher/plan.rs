//! What an edit would do to the folder: made first, looked at by whoever asks what would happen, and carried
//! out by one executor.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use url::Url;

use super::attachment::{Attachment, Attachments};
use super::draft::{AddOptions, Draft, Edition, Ready};
use super::edit::Edit;
use super::front_matter::FrontMatter;
use super::page::{self, Profile, Text};
use super::sources::Sources;
use super::{
    Added, Begun, PublishError, Publisher, Removed, Result, Written, hello, here, line, markdown,
};

/// The plan of an edit.
#[derive(Debug)]
#[must_use = "nothing is done before it is carried out"]
pub struct EditPlan<T> {
    /// What the edit comes to when it is carried out.
    pub outcome: T,
    /// The files that are written, new ones and others, in their order.
    pub writes: Vec<PathBuf>,
    /// The files that are deleted.
    pub removes: Vec<PathBuf>,
    /// What becomes of the index; none if it stays as it is.
    pub index: Option<Written>,
    steps: Steps,
}

/// What is to be done, in this order.
#[derive(Debug, Default)]
struct Steps {
    attachments: Vec<Attachment>,
    pages: Vec<Ready>,
    /// The files that a new webfeed begins with, by their names.
    files: Vec<(&'static str, String)>,
    index: Option<Edit>,
    /// Whether the page of the folder lists what the index does: one that was there before the index stays as it
    /// is.
    is_listed: bool,
    /// The titles of posts that are known, by their lines.
    titles: HashMap<String, String>,
    sources: Option<Sources>,
}

impl Publisher {
    /// Plans what [`init`](Self::init) does.
    pub fn plan_init(&self, profile: &Profile, base: Option<&Url>) -> Result<EditPlan<Begun>> {
        if self.index_path().exists() {
            return self.plan_base(base);
        }
        let (title, text) = ("Hello", hello(profile));
        let sections = markdown::read(FrontMatter::default(), &text).sections;
        let hello = self.hello(title);
        let mut files = vec![
            ("post.css", include_str!("post.css").to_owned()),
            ("folder.css", include_str!("folder.css").to_owned()),
            ("hello.html", page::post(profile, title, &Text::default(), &sections)),
            ("index.html", page::folder(profile, base.is_some(), hello.as_slice())),
        ];
        files.retain(|(name, _)| !self.folder.join(name).exists());
        let served = base.map(|base| format!("served at {base}"));
        let mut comments = vec![
            "The posts of this webfeed, the newest last: one address on each line.",
            "Readers look at the length of this file to see whether something is new.",
        ];
        comments.extend(served.as_deref());
        let mut index = Edit::begun(&comments);
        if let Some((hello, _)) = &hello {
            index.add(hello, &here());
        }
        Ok(self.planned(
            Steps { files, index: Some(index), is_listed: false, ..Steps::default() },
            Vec::new(),
            |files, _| Begun { files: files.to_vec() },
        ))
    }

    /// Plans to say where a webfeed is served that did not say it before.
    fn plan_base(&self, base: Option<&Url>) -> Result<EditPlan<Begun>> {
        let mut index = self.index()?;
        let Some(base) = base.filter(|_| index.base().is_none()) else {
            return Err(PublishError::Exists(self.index_path()));
        };
        index.serve(base);
        let files = vec![self.index_path(), self.folder.join("feed.atom")];
        let steps = Steps { index: Some(index), is_listed: true, ..Steps::default() };
        Ok(self.planned(steps, Vec::new(), |_, _| Begun { files }))
    }

    /// Plans what [`add`](Self::add) does.
    pub fn plan_add(&self, drafts: &[Draft], options: &AddOptions) -> Result<EditPlan<Vec<Added>>> {
        self.plan_posts(drafts, None, options)
    }

    /// Plans what [`edit`](Self::edit) does.
    pub fn plan_edit(
        &self,
        line: &str,
        draft: &Draft,
        options: &AddOptions,
    ) -> Result<EditPlan<Vec<Added>>> {
        let line = self.listed_line(line)?;
        self.plan_posts(std::slice::from_ref(draft), Some(line), options)
    }

    fn plan_posts(
        &self,
        drafts: &[Draft],
        replaces: Option<String>,
        options: &AddOptions,
    ) -> Result<EditPlan<Vec<Added>>> {
        let mut edition = Edition {
            index: self.index()?,
            sources: self.sources(),
            attachments: Attachments::new(self, options.max_photo_pixels),
            posts: Vec::new(),
            replaces,
        };
        for draft in drafts {
            let post = self.ready(draft, &mut edition)?;
            edition.posts.push(post);
        }
        let Edition { mut index, mut sources, attachments, posts, .. } = edition;
        let mut titles = HashMap::new();
        for Ready { line, title, is_update, source_key, .. } in &posts {
            if !is_update {
                index.add(line, &here());
            }
            titles.extend(title.clone().map(|title| (line.clone(), title)));
            if let Some(key) = source_key {
                sources.insert(key.clone(), line.clone());
            }
        }
        let attachments = attachments.planned;
        let copied: Vec<PathBuf> =
            attachments.iter().map(|one| self.folder.join(&one.name)).collect();
        let added = |post: &Ready| {
            let Ready { line, title, sections, is_update, warnings, .. } = post;
            let file = title.as_ref().and_then(|_| line::path_of(line));
            (
                line.clone(),
                file.map(|name| self.folder.join(name)),
                *sections,
                *is_update,
                warnings.clone(),
            )
        };
        let added: Vec<_> = posts.iter().map(added).collect();
        let sources = self.changed_sources(sources, &index.posts());
        let steps = Steps {
            attachments,
            pages: posts,
            files: Vec::new(),
            index: Some(index),
            is_listed: true,
            titles,
            sources,
        };
        Ok(self.planned(steps, Vec::new(), |_, index| {
            let one = |(line, file, sections, is_update, warnings)| {
                let (index, copied) = (index.clone(), copied.clone());
                Added { line, file, sections, is_update, copied, warnings, index }
            };
            added.into_iter().map(one).collect()
        }))
    }

    /// Plans what [`remove`](Self::remove) does.
    pub fn plan_remove(&self, lines: &[&str], with_files: bool) -> Result<EditPlan<Removed>> {
        let mut index = self.index()?;
        if let Some(line) = lines.iter().find(|line| !index.has(line, &here())) {
            return Err(PublishError::Unknown((*line).to_owned(), index.posts().join(", ")));
        }
        let lines = lines.iter().flat_map(|line| index.remove(line, &here())).collect();
        Ok(self.plan_removal(index, lines, with_files))
    }

    /// Plans what [`keep`](Self::keep) does.
    pub fn plan_keep(&self, most: usize, with_files: bool) -> Result<EditPlan<Removed>> {
        let mut index = self.index()?;
        let lines = index.keep(most, &here());
        if !lines.is_empty() {
            return Ok(self.plan_removal(index, lines, with_files));
        }
        let length = self.length();
        let index = Written { posts: index.posts(), lengths: (length, length) };
        Ok(EditPlan {
            outcome: Removed { lines, files: Vec::new(), fileless: Vec::new(), index },
            writes: Vec::new(),
            removes: Vec::new(),
            index: None,
            steps: Steps::default(),
        })
    }

    fn plan_removal(&self, index: Edit, lines: Vec<String>, with_files: bool) -> EditPlan<Removed> {
        let fileless = lines.iter().filter(|line| self.file_of(line).is_none()).cloned().collect();
        // Another line may lead to the same file.
        let mut kept: HashSet<PathBuf> =
            index.posts().iter().filter_map(|line| self.file_of(line)).collect();
        let gone = lines.iter().filter(|_| with_files).filter_map(|line| self.file_of(line));
        let files: Vec<PathBuf> = gone.filter(|path| kept.insert(path.clone())).collect();
        let steps = Steps { index: Some(index), is_listed: true, ..Steps::default() };
        self.planned(steps, files.clone(), |_, index| Removed {
            lines,
            files,
            fileless,
            index: index.clone(),
        })
    }

    /// A plan of these steps, with what they come to.
    fn planned<T>(
        &self,
        steps: Steps,
        removes: Vec<PathBuf>,
        outcome: impl FnOnce(&[PathBuf], &Written) -> T,
    ) -> EditPlan<T> {
        let before = self.length();
        let mut names: Vec<PathBuf> =
            steps.attachments.iter().map(|one| PathBuf::from(&one.name)).collect();
        let pages = steps.pages.iter().filter(|post| post.page.is_some());
        names.extend(pages.filter_map(|post| line::path_of(&post.line)));
        names.extend(steps.files.iter().map(|(name, _)| PathBuf::from(name)));
        let mut index = Written { posts: Vec::new(), lengths: (before, before) };
        if let Some(edit) = &steps.index {
            index.lengths.1 = edit.written(before).len() as u64;
            index.posts = edit.posts();
            names.push("index.txt".into());
            let is_listed = steps.is_listed && self.has_list();
            names.extend(is_listed.then(|| "index.html".into()));
            names.extend(edit.base().map(|_| "feed.atom".into()));
        }
        names.extend(steps.sources.as_ref().map(|_| Sources::NAME.into()));
        let writes: Vec<PathBuf> = names.iter().map(|name| self.folder.join(name)).collect();
        let outcome = outcome(&writes, &index);
        EditPlan { outcome, writes, removes, index: Some(index), steps }
    }

    /// Does what a plan says: pages first, then the index, and files are deleted last, so that no reader is led
    /// to what is not there.
    pub(super) fn carry_out<T>(&self, plan: EditPlan<T>) -> Result<T> {
        let EditPlan { outcome, removes, steps, .. } = plan;
        self.write_pages(&steps.pages, &steps.attachments)?;
        for (name, text) in &steps.files {
            self.write(name, text)?;
        }
        if let Some(index) = &steps.index {
            self.save(index, steps.is_listed.then_some(&steps.titles))?;
        }
        if let Some(sources) = &steps.sources {
            self.save_sources(sources)?;
        }
        for path in &removes {
            fs::remove_file(path).map_err(|error| removal(path, error))?;
        }
        Ok(outcome)
    }
}

fn removal(path: &Path, error: std::io::Error) -> PublishError {
    PublishError::Io { path: path.to_owned(), error }
}

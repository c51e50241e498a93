//! Posts as somebody would write them who is after the reader. Each does something that is noticed: it
//! runs a script that says so, asks a server for something, or covers what is not its own.
//!
//! In a text, `{js}` is such a script, `{url}` an address at a server that must never be asked, `{host}`
//! its host and port, `{pic}` a picture beside the post, `{n}` the number of the payload.

#[path = "corpus/active.rs"]
mod active;
#[path = "corpus/addresses.rs"]
mod addresses;
#[path = "corpus/drawn.rs"]
mod drawn;
#[path = "corpus/styles.rs"]
mod styles;
#[path = "corpus/twisted.rs"]
mod twisted;
#[path = "corpus/words.rs"]
mod words;

/// Kinds of payloads, as they are told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Scripts,
    Handlers,
    Urls,
    Svg,
    MathMl,
    Css,
    Mutation,
    Clobbering,
    Meta,
    Frames,
    Forms,
    Media,
    Letters,
    Words,
    Lines,
}

pub(crate) const KINDS: [Kind; 15] = [
    Kind::Scripts,
    Kind::Handlers,
    Kind::Urls,
    Kind::Svg,
    Kind::MathMl,
    Kind::Css,
    Kind::Mutation,
    Kind::Clobbering,
    Kind::Meta,
    Kind::Frames,
    Kind::Forms,
    Kind::Media,
    Kind::Letters,
    Kind::Words,
    Kind::Lines,
];

/// A payload: what stands before the sections of a post, what in each of them, and a sheet beside it.
#[derive(Debug, Clone)]
pub(crate) struct Payload {
    /// The text as it is in the corpus.
    pub(crate) text: &'static str,
    pub(crate) head: String,
    pub(crate) body: String,
    pub(crate) sheet: Option<String>,
}

/// Where things are.
pub(crate) struct Places {
    /// A server that must never be asked, such as `127.0.0.1:8000`.
    pub(crate) beacon: String,
    /// The server that the posts are on.
    pub(crate) home: String,
}

impl Places {
    /// A text with everything put in.
    pub(crate) fn fill(&self, text: &str, number: usize) -> String {
        let script = format!("top.postMessage('pwned-{number}','*')");
        text.replace("{js}", &script)
            .replace("{url}", &format!("http://{}/b{number}", self.beacon))
            .replace("{host}", &self.beacon)
            .replace("{pic}", &format!("http://{}/pic.png", self.home))
            .replace("{many}", &"m".repeat(5_000))
            .replace("{deep}", &"<div><b>".repeat(2_000))
            .replace("{n}", &number.to_string())
    }
}

impl Kind {
    /// The texts, as they are written here.
    pub(crate) fn texts(self) -> Vec<&'static str> {
        match self {
            Self::Scripts => active::SCRIPTS.to_vec(),
            Self::Handlers => active::HANDLERS.to_vec(),
            Self::Urls => addresses::URLS.to_vec(),
            Self::Svg => drawn::SVG.to_vec(),
            Self::MathMl => drawn::MATHML.to_vec(),
            Self::Css => [styles::RULES, styles::OUT_OF_STYLE, styles::DECLARATIONS].concat(),
            Self::Mutation => twisted::MUTATION.to_vec(),
            Self::Clobbering => twisted::CLOBBERING.to_vec(),
            Self::Meta => addresses::META.to_vec(),
            Self::Frames => addresses::FRAMES.to_vec(),
            Self::Forms => twisted::FORMS.to_vec(),
            Self::Media => drawn::MEDIA.to_vec(),
            Self::Letters => twisted::LETTERS.to_vec(),
            Self::Words => words::WORDS.to_vec(),
            Self::Lines => words::LINES.to_vec(),
        }
    }

    /// The payloads that are posts, with everything put in. Rules of styles are in a `<style>`, and once
    /// more in a sheet of their own.
    pub(crate) fn payloads(self, places: &Places) -> Vec<Payload> {
        let mut all = Vec::new();
        for (number, text) in self.texts().into_iter().enumerate() {
            let filled = places.fill(text, number);
            let in_body = |body: String| Payload { text, head: String::new(), body, sheet: None };
            match self {
                Self::Css if styles::RULES.contains(&text) => {
                    let style = format!("<style>{filled}</style>");
                    let body = format!("{style}<p title=x>A rule.</p><ul><li>x</ul>");
                    all.push(Payload { head: style, ..in_body(body) });
                    let body = "<p title=x>A sheet.</p><ul><li>x</ul>".to_owned();
                    all.push(Payload { sheet: Some(filled), ..in_body(body) });
                }
                Self::Css if styles::DECLARATIONS.contains(&text) => {
                    all.push(in_body(format!("<p style=\"{filled}\">A style.</p>")));
                }
                Self::Meta => all.push(Payload { head: filled.clone(), ..in_body(filled) }),
                _ => all.push(in_body(filled)),
            }
        }
        all
    }

    pub(crate) fn name(self) -> String {
        format!("{self:?}").to_ascii_lowercase()
    }
}

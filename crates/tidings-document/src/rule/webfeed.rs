//! Rules of webfeeds: the text file of addresses, and the posts behind it.

use super::rules;

const INDEX: &str = "Webfeeds Specification, Example Feed Text File";
const POLLING: &str = "Webfeeds Specification, Polling For Updates";
const POST: &str = "Webfeeds Specification, Introduction";
const IDENTITY: &str = "Webfeeds Specification, Example HTML Post";
const IGNORED: &str = "Webfeeds Specification, Ignored HTML Structure";

rules! {
    INDEX_NONE = Error "WF-index-none", INDEX,
        "A webfeed has a text file that lists its posts.",
        "Name the text file itself, such as https://example.com/index.txt, or make one with `tidings webfeed init`.";
    INDEX_HTML = Error "WF-index-html", INDEX,
        "The feed text file is plain text, and no page.",
        "Check the address; servers that answer a missing file with a page should send status 404.";
    INDEX_BINARY = Error "WF-index-binary", INDEX,
        "The feed text file is text.",
        "Write one address on each line, in UTF-8.";
    INDEX_ADDRESS = Error "WF-index-address", INDEX,
        "Each line that is neither blank nor a comment is the address of a post, by http or https.",
        "Correct the line, or put a # before it.";
    INDEX_TWICE = Warning "WF-index-twice", INDEX,
        "A post is listed once.",
        "Remove all lines of the post but one; readers take the last.";
    INDEX_ROOT = Warning "WF-index-root", INDEX,
        "Addresses are relative to the folder of the text file.",
        "Write the line without its leading slash: to the text of the specification the slash means nothing, and to readers it means the root of the host.";
    INDEX_BELOW = Warning "WF-index-below", INDEX,
        "A line with a leading slash leads to a post from the root of the host.",
        "Write the line without its slash: some readers look below the folder of the text file only if nothing is at the root.";
    INDEX_MANY = Note "WF-index-many", INDEX,
        "A feed text file lists no more posts than readers keep, 10,000.",
        "Remove the oldest lines.";
    INDEX_ENCODING = Warning "WF-index-encoding", INDEX,
        "The feed text file is UTF-8.",
        "Save the file as UTF-8.";
    INDEX_TYPE = Warning "WF-index-type", POLLING,
        "The feed text file is served as text/plain.",
        "Let the server send Content-Type: text/plain; some readers refuse all else.";
    POLL_LENGTH = Error "WF-poll-length", POLLING,
        "The answer to a HEAD request for the feed text file says its Content-Length.",
        "Have HEAD answered like GET, and serve the file as it is: not compressed, and not made on the fly.";
    POLL_DIFFERS = Error "WF-poll-differs", POLLING,
        "The Content-Length that HEAD says is that of the file.",
        "Do not compress the file, and have HEAD answered like GET.";
    POST_UNREACHABLE = Error "WF-post-unreachable", INDEX,
        "Each address leads to a post.",
        "Put the page where the line says, such that the server may read it, or remove the line.";
    POST_TYPE = Error "WF-post-type", POST,
        "A post is an HTML page.",
        "Let the server send Content-Type: text/html for it; give its file the extension .html.";
    POST_LARGE = Error "WF-post-large", POST,
        "A post is no larger than readers fetch, 1 MiB.",
        "Split the post, or leave out what is embedded in it.";
    POST_SECTION = Error "WF-post-section", POST,
        "A post has at least one section, its lead.",
        "Put <section> and </section> around what should be one screen.";
    POST_NESTED = Warning "WF-post-nested", POST,
        "The sections of a post are not part of another element.",
        "Remove the element around the sections.";
    POST_BODY = Warning "WF-post-body", POST,
        "A post has no <body> tag.",
        "Remove <body> and </body>.";
    POST_OUTSIDE = Warning "WF-post-outside", POST,
        "What a post shows is in its sections.",
        "Move it into a section; readers show nothing else.";
    POST_MANY = Warning "WF-post-many", POST,
        "A post has no more sections than readers show, 100.",
        "Split the post.";
    POST_IGNORED = Warning "WF-post-ignored", IGNORED,
        "Posts have no scripts and no frames, which readers ignore.",
        "Remove the element; say what it says in HTML and CSS.";
    POST_HANDLER = Warning "WF-post-handler", IGNORED,
        "Posts have no attributes whose names begin with on, which readers strip.",
        "Remove the attribute.";
    POST_ENCODING = Warning "WF-post-encoding", POST,
        "A post with letters beyond ASCII says its encoding, or is served with it.",
        "Begin the post with <meta charset=\"utf-8\">.";
    POST_OVERFLOW = Warning "WF-post-overflow", POST,
        "A section fits on one screen.",
        "Part the section; on a small screen readers scroll it, or cut it.";
    POST_LINKED = Note "WF-post-linked", POST,
        "A post shows what all readers show: text and pictures.",
        "Say in words what it is: readers show a link to it, and people follow that.";
    SUBRESOURCE_MISSING = Error "WF-subresource-missing", POST,
        "Each picture, style sheet and icon that a post names is there.",
        "Put the file where the address says, or correct the address; `tidings webfeed add` copies what a file uses.";
    SUBRESOURCE_LARGE = Warning "WF-subresource-large", POST,
        "A picture has no more than 8 MiB and 50 megapixels, a style sheet no more than 256 KiB: readers fetch no more.",
        "Make the picture smaller, as `tidings webfeed add` can do, or the style sheet shorter.";
    SUBRESOURCE_KIND = Warning "WF-subresource-kind", POST,
        "A picture is PNG, JPEG, GIF, WebP or an icon, and a style sheet is text.",
        "Save the picture in one of these formats; of others readers show a link at most.";
    AUTHOR = Note "WF-identity-author", IDENTITY,
        "A webfeed says whose it is, in the folder's own page or in its posts.",
        "Add <meta name=\"author\" content=\"…\">.";
    DESCRIPTION = Note "WF-identity-description", IDENTITY,
        "A webfeed says something about its author.",
        "Add <meta name=\"description\" content=\"…\">.";
    ICON = Note "WF-identity-icon", IDENTITY,
        "A webfeed has a picture of its author.",
        "Add <link rel=\"icon\" href=\"…\">.";
}

//! XML itself: what keeps a document from being read.

use super::rules;

rules! {
    EMPTY = Error "XML-2.1-empty", "XML 1.0, 2.1", "A document has a root element.", "Publish a document with a urlset or sitemapindex element, or answer 404 where there is none.";
    NOT_XML = Error "XML-2.1-not-xml", "XML 1.0, 2.1", "A document begins with markup.", "Check that the URL or file is the XML document itself, not something that stands for it.";
    HTML = Error "XML-2.1-html", "XML 1.0, 2.1", "A document is XML, not an HTML page.", "Check the URL; servers that answer a missing document with a page should send status 404.";
    TRUNCATED = Error "XML-2.1-truncated", "XML 1.0, 2.1", "A document ends with the end tag of its root element.", "Fetch or write the document again; nothing is taken from a document that breaks off.";
    MALFORMED = Error "XML-2.1-malformed", "XML 1.0, 2.1", "A document is well-formed XML.", "Write the document with an XML library rather than by joining strings.";
    AFTER_ROOT = Error "XML-2.1-after-root", "XML 1.0, 2.1", "Nothing but comments and processing instructions follows the root element.", "Remove what follows the root element's end tag.";
    CHARACTER = Error "XML-2.2-character", "XML 1.0, 2.2", "Control characters, surrogates, U+FFFE and U+FFFF are not part of a document.", "Remove the character, or percent-encode it where it is part of a URI.";
    DOCTYPE = Error "XML-2.8-doctype", "Sitemap protocol; XML 1.0, 2.8", "Documents have no document type declaration; one is refused unread, as entities could expand without end.", "Remove the DOCTYPE.";
    BLANK_BEFORE_DECLARATION = Error "XML-2.8-declaration-late", "XML 1.0, 2.8", "The XML declaration, if any, is the very first thing in a document.", "Remove the blank before <?xml.";
    AMPERSAND = Error "XML-2.4-ampersand", "XML 1.0, 2.4", "An ampersand is written &amp;.", "Escape & as &amp; in text and attributes.";
    ENTITY = Error "XML-4.1-entity", "XML 1.0, 4.1", "Without a DTD only the entities amp, lt, gt, apos and quot exist.", "Write the character itself, or a numeric reference.";
    ENCODING = Error "XML-4.3.3-encoding", "XML 1.0, 4.3.3", "All bytes are of the document's encoding; without a declaration that is UTF-8.", "Save the document as UTF-8.";
    ENCODING_UNKNOWN = Error "XML-4.3.3-encoding-unknown", "XML 1.0, 4.3.3", "The declared encoding is one that readers know.", "Save the document as UTF-8 and declare that.";
    ENCODING_CONFLICT = Warning "XML-4.3.3-encoding-conflict", "XML 1.0, 4.3.3; RFC 7303, 3", "Byte order mark, Content-Type and declaration name the same encoding.", "Save the document as UTF-8 and let all three say so, or leave out the declaration.";
    GZIP = Error "GZIP-2.2-damaged", "RFC 1952, 2.2", "A compressed document is whole: its members follow each other, and each one's checksum is right.", "Compress the document again, or publish it uncompressed.";
    PREFIX = Error "XMLNS-5-prefix", "Namespaces in XML, 5", "A prefix is bound by an xmlns attribute on its element or one around it.", "Declare the prefix on the root element.";
}

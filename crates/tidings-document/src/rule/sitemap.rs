//! The Sitemap protocol, on which all documents of ResourceSync are built.

use super::rules;

const PROTOCOL: &str = "Sitemap protocol";

rules! {
    ROOT = Error "SM-root", "Sitemap protocol; ResourceSync, 7", "The root element is urlset or sitemapindex.", "Check that this is a Sitemap or ResourceSync document.";
    NAMESPACE = Error "SM-namespace", "Sitemap protocol; ResourceSync, 4", "The elements are in the namespace http://www.sitemaps.org/schemas/sitemap/0.9.", "Set xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\" on the root element.";
    ROOT_NESTED = Error "SM-root-nested", PROTOCOL, "There is one urlset or sitemapindex, around all entries.", "Remove the inner one and keep what is in it.";
    LOC_MISSING = Error "SM-loc-missing", "Sitemap protocol; ResourceSync, 7", "Each entry has a loc with a URI.", "Add the loc, or remove the entry.";
    LOC_TWICE = Error "SM-loc-twice", PROTOCOL, "Each entry has one loc.", "Give each URI an entry of its own.";
    LOC_RELATIVE = Error "SM-loc-relative", PROTOCOL, "A loc is an absolute URI, with its scheme.", "Write the URI out in full.";
    LOC_CHARACTER = Error "SM-loc-character", "Sitemap protocol; RFC 3986, 2", "A URI holds only the characters that RFC 3986 allows.", "Percent-encode the others.";
    LOC_IRI = Warning "SM-loc-iri", "Sitemap protocol; RFC 3987, 3.1", "Letters outside ASCII are percent-encoded in a URI.", "Write the UTF-8 bytes of the letter as %XX.";
    LOC_BLANK = Warning "SM-loc-blank", PROTOCOL, "Nothing stands around the URI in a loc.", "Remove the white space.";
    LOC_LONG = Warning "SM-loc-long", PROTOCOL, "A URI in a loc is shorter than 2,048 characters.", "Shorten the URI.";
    LOC_TOO_LONG = Error "SM-loc-too-long", "Sitemap protocol; limit of this reader", "A URI in a loc is shorter than 2,048 characters; an entry whose URI is longer than 8 KiB is passed over.", "Shorten the URI.";
    LASTMOD_TWICE = Error "SM-lastmod-twice", PROTOCOL, "An entry has at most one lastmod.", "Remove all but one.";
    LASTMOD = Error "SM-lastmod", "Sitemap protocol; ResourceSync, 7", "A lastmod is a W3C datetime.", "Write it as YYYY-MM-DDThh:mm:ssZ.";
    LASTMOD_FORM = Error "SM-lastmod-form", "Sitemap protocol; ResourceSync, 7", "A lastmod is a W3C datetime, with a T before and a zone after the time.", "Write it as YYYY-MM-DDThh:mm:ssZ.";
    LASTMOD_EMPTY = Note "SM-lastmod-empty", PROTOCOL, "A lastmod that says nothing is left out.", "Remove the empty element.";
    CHANGEFREQ = Warning "SM-changefreq", "Sitemap protocol; ResourceSync, 7", "A changefreq is always, hourly, daily, weekly, monthly, yearly or never.", "Use one of the seven words, or leave it out.";
    CHANGEFREQ_TWICE = Error "SM-changefreq-twice", PROTOCOL, "An entry has at most one changefreq.", "Remove all but one.";
    PRIORITY = Warning "SM-priority", PROTOCOL, "A priority is a number from 0.0 to 1.0.", "Use a number in that range, or leave it out.";
    PRIORITY_TWICE = Error "SM-priority-twice", PROTOCOL, "An entry has at most one priority.", "Remove all but one.";
    MISPLACED = Error "SM-element-misplaced", PROTOCOL, "A urlset holds url elements, a sitemapindex sitemap elements.", "Use the entries that belong to the root element.";
    ELEMENT = Warning "SM-element-unknown", PROTOCOL, "Elements of the Sitemap namespace are those that its protocol defines.", "Remove the element, or give it a namespace of its own.";
    ATTRIBUTE = Warning "SM-attribute", "Sitemap protocol; ResourceSync, 8 to 13", "The elements of the Sitemap protocol have no attributes.", "Say it in child elements, or in an attribute with a namespace of its own.";
    ORDER = Warning "SM-element-order", "sitemap.xsd", "In an entry loc comes first, then lastmod, changefreq and priority, then what is of other namespaces.", "Put the elements in that order; schema-checking readers refuse others.";
    TEXT = Warning "SM-text", PROTOCOL, "No text stands between the elements.", "Remove the text.";
    ENTRIES = Warning "SM-entries", "Sitemap protocol; ResourceSync, 7", "A document has at most 50,000 entries.", "Split the document and group its parts in an index.";
    BYTES = Warning "SM-bytes", "Sitemap protocol; ResourceSync, 7", "A document is at most 50 MB (52,428,800 bytes) uncompressed.", "Split the document and group its parts in an index.";
    NO_ENTRIES = Note "SM-no-entries", "sitemap.xsd", "A Sitemap lists at least one URI.", "Leave out the Sitemap until there is something to list.";
    DUPLICATE = Warning "SM-loc-duplicate", PROTOCOL, "A Sitemap lists each URI once.", "Remove the second entry.";
    OUTSIDE = Warning "SM-loc-outside", "Sitemap protocol, Sitemap file location", "A Sitemap lists URIs of its own host and folder only.", "Move the Sitemap up, or name it in the robots.txt of the other host.";
    RESOURCESYNC = Note "SM-resourcesync", "Sitemap protocol", "A Sitemap for search engines is plain; some of their readers stumble over ResourceSync's elements.", "Publish a plain Sitemap beside the Resource List.";
}

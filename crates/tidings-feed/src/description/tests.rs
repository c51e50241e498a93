use super::*;

fn read(text: &str) -> Option<Description> {
    let url = Url::parse("http://e.example/a/b").unwrap();
    Description::read(text.as_bytes(), None, &url)
}

fn description(fields: [Option<&str>; 4], icon: Option<&str>) -> Option<Description> {
    let [title, author, language, description] = fields.map(|field| field.map(Into::into));
    let icon = icon.map(|icon| Url::parse(icon).unwrap());
    Some(Description { title, author, language, description, icon })
}

#[test]
fn dublin_core_is_read() {
    let all = [Some("Fish & Chips"), Some("Anna, Ben"), Some("en"), Some("Two words")];
    for text in [
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n\
         <dc:title>Fish &amp; Chips</dc:title><dc:creator>Anna</dc:creator>\
         <dc:creator>Ben</dc:creator><dc:description>Two\n words</dc:description>\
         <dc:language>en</dc:language><dc:identifier>x</dc:identifier></metadata>",
        "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' \
         xmlns:t='http://purl.org/dc/terms/'><rdf:Description>\
         <t:title><![CDATA[Fish & Chips]]></t:title><t:language>en</t:language>\
         <t:creator><rdf:Seq><rdf:li>Anna,</rdf:li><rdf:li>Ben</rdf:li></rdf:Seq></t:creator>\
         <t:abstract>Two words</t:abstract></rdf:Description>\
         <rdf:Description><t:title>other</t:title><t:creator>Eve</t:creator></rdf:Description>\
         </rdf:RDF>",
    ] {
        assert_eq!(read(text), description(all, None), "{text}");
    }
    let publisher = "<m xmlns='http://purl.org/dc/terms/'><title>T</title><publisher>P</publisher>";
    assert_eq!(read(publisher), description([Some("T"), Some("P"), None, None], None));
    assert_eq!(read("<metadata/>"), None);
    assert_eq!(read("<m><title>not Dublin Core</title></m>"), None);
    let bomb =
        "<!DOCTYPE m [<!ENTITY a 'b'>]><m xmlns='http://purl.org/dc/terms/'><title>T</title></m>";
    assert_eq!(read(bomb), None);
}

#[test]
fn json_is_read() {
    for (text, expected) in [
        (
            r#"{"@context":"https://schema.org","@graph":[{"@type":"Person","name":"Eve"},
            {"@type":["WebSite"],"name":"T","author":[{"name":"Anna"},"Ben"],"inLanguage":
            {"alternateName":"de"},"description":"D","image":{"url":"/i.png"}}]}"#,
            description(
                [Some("T"), Some("Anna, Ben"), Some("de"), Some("D")],
                Some("http://e.example/i.png"),
            ),
        ),
        (
            r#"{"dcterms:title":{"en":"T"},"dc:creator":{"@value":"Anna"},"language":["en_GB"]}"#,
            description([Some("T"), Some("Anna"), Some("en-GB"), None], None),
        ),
        (
            r#"{"version":"https://jsonfeed.org/version/1.1","title":"T","authors":[{"name":"A"}],
            "icon":"javascript:x"}"#,
            description([Some("T"), Some("A"), None, None], None),
        ),
        (r#"[{"http://purl.org/dc/terms/title":" "},{"name":"second"}]"#, None),
        ("[1, 2]", None),
        ("{\"a\":", None),
        ("{}", None),
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
}

#[test]
fn feeds_are_read() {
    let atom = "<feed xmlns='http://www.w3.org/2005/Atom' xml:lang='de'><title>T</title>\
                <icon>/i.png</icon><author><name>Anna</name></author></feed>";
    let fields = [Some("T"), Some("Anna"), Some("de"), None];
    assert_eq!(read(atom), description(fields, Some("http://e.example/i.png")));
    let rss = "<rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#' \
               xmlns='http://purl.org/rss/1.0/'><channel><title>T</title></channel></rdf:RDF>";
    assert_eq!(read(rss), description([Some("T"), None, None, None], None));
}

#[test]
fn pages_are_read() {
    let page = "<!doctype html><html lang=de><head><base href='/x/'><title> A\n&amp; B</title>\
                <meta name=Author content=Anna><meta property='og:description' content=og>\
                <meta name=description content=D><link rel='shortcut icon' href='i.ico'>\
                <script>'<title>no</title>'</script></head><body><svg><title>s</title></svg>";
    let fields = [Some("A & B"), Some("Anna"), Some("de"), Some("D")];
    assert_eq!(read(page), description(fields, Some("http://e.example/x/i.ico")));
    let data = "<html><script type='application/ld+json'>{\"@type\":\"Dataset\",\
                \"name\":\"T\",\"creator\":{\"name\":\"Anna\"}}</script><meta name=DC.Title content=DC>";
    assert_eq!(read(data), description([Some("DC"), Some("Anna"), None, None], None));
    assert_eq!(read("<html><p>nothing"), None);
    assert_eq!(read("plain text"), None);
    assert_eq!(read(""), None);
}

#[test]
fn long_texts_are_cut_and_gaps_are_filled() {
    let long = format!("{{\"name\":\"{}\"}}", "T".repeat(1 << 20));
    let one = read(&long).unwrap();
    assert_eq!(one.title.as_ref().unwrap().chars().count(), 300);
    let other = read("{\"name\":\"other\",\"author\":\"Anna\"}").unwrap();
    let both = one.clone().or(other);
    assert_eq!((both.title, both.author.as_deref()), (one.title, Some("Anna")));
}

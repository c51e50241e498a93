//! Crawlers of others find what is public, and nothing else.

use std::collections::BTreeSet;

use crate::content_root::{LAYOUTS, Layout, Page, Root, Site, node, python};

fn town(layout: Layout) -> (Root, Site, BTreeSet<String>) {
    let root = Root::new();
    let names = ["a", "b/c", "a&b", "it's", "über", "x;y=z"];
    for name in names {
        root.put(layout, &Page::new(name));
    }
    root.put(layout, &Page::new("quiet").robots("noindex"));
    root.put(layout, &Page::new("secret").tagged(&["staff"]));
    root.put(layout, &Page::new("kept").alias("login/x"));
    root.restrict();
    let site = root.serve(&[]);
    let urls = names.iter().map(|name| format!("{}{}", site.base, name.replace('ü', "%C3%BC")));
    let urls = urls.collect();
    (root, site, urls)
}

#[test]
fn ultimate_sitemap_parser_finds_what_is_public() {
    let script = "import sys, logging; logging.disable(logging.CRITICAL)\n\
        from usp.tree import sitemap_tree_for_homepage as tree\n\
        for page in tree(sys.argv[1]).all_pages(): print(page.url)";
    for layout in LAYOUTS {
        let (_root, site, urls) = town(layout);
        let Some(said) = python("usp", script, &[&site.base]) else { return };
        let found: BTreeSet<String> = said.lines().map(str::to_owned).collect();
        assert_eq!(found, urls, "{layout:?}");
    }
}

#[test]
fn sitemapper_finds_what_is_public() {
    let script = "import Sitemapper from 'sitemapper';\n\
        const found = await new Sitemapper({url: process.argv[1]}).fetch();\n\
        for (const url of found.sites) console.log(url);";
    for layout in LAYOUTS {
        let (_root, site, urls) = town(layout);
        let sitemap = format!("{}sitemap.xml", site.base);
        let Some(said) = node("sitemapper", script, &[&sitemap]) else { return };
        let found: BTreeSet<String> = said.lines().map(str::to_owned).collect();
        assert_eq!(found, urls, "{layout:?}");
    }
}

#[test]
fn crawlers_of_others_find_all_parts() {
    let root = Root::new();
    for number in 0..50_010 {
        root_file(&root, number);
    }
    let site = root.serve(&[]);
    let script = "import sys, logging; logging.disable(logging.CRITICAL)\n\
        from usp.tree import sitemap_tree_for_homepage as tree\n\
        print(len({page.url for page in tree(sys.argv[1]).all_pages()}))";
    let Some(said) = python("usp", script, &[&site.base]) else { return };
    assert_eq!(said.trim(), "50010");
}

fn root_file(root: &Root, number: usize) {
    let path = root.path(&format!("pages/{}/{number}.md", number / 1_000));
    if number.is_multiple_of(1_000) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    }
    std::fs::File::create(path).unwrap();
}

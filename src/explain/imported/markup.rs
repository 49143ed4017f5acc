//! The markup of a page made elsewhere, with everything taken out that is active, loads, links or styles, as tags and texts.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

/// Most elements of one name that may be open at once: a parser of HTML takes time with the square of it.
pub(super) const MOST_NESTED: usize = 500;

pub(super) const BLOCKS: &[&str] = &[
    "address",
    "article",
    "aside",
    "blockquote",
    "br",
    "center",
    "dd",
    "details",
    "div",
    "dl",
    "dt",
    "figcaption",
    "figure",
    "footer",
    "header",
    "hr",
    "main",
    "nav",
    "ol",
    "p",
    "section",
    "summary",
    "ul",
];
pub(super) const HEADINGS: &[&str] = &["h1", "h2", "h3", "h4", "h5", "h6"];
/// Shown apart from what stands beside them, though in one line; nothing else is kept of them.
pub(super) const APART: &[&str] = &["button", "label", "legend", "option", "rp", "rt", "ruby"];
/// Often shown apart by their style alone: badges, chips.
pub(super) const BADGES: &[&str] = &["a", "span"];
const OTHERS: &[&str] = &[
    "b", "caption", "code", "em", "i", "li", "mark", "pre", "span", "strong", "table", "tbody", "td", "tfoot", "th",
    "thead", "tr", "u",
];

/// The first element of which too many are open at once. Elements that end by themselves are not counted.
pub(super) fn too_deep(html: &str) -> Option<String> {
    const END_BY_THEMSELVES: &[&str] = &[
        "area", "base", "br", "col", "dd", "dt", "embed", "hr", "img", "input", "li", "link", "meta", "option", "p",
        "source", "td", "th", "tr", "wbr",
    ];
    let mut open: HashMap<String, usize> = HashMap::new();
    for tag in html.split('<').skip(1) {
        let (closes, rest) = match tag.strip_prefix('/') {
            Some(rest) => (true, rest),
            None => (false, tag),
        };
        let name: String = rest.chars().take(20).take_while(char::is_ascii_alphanumeric).collect();
        let name = name.to_ascii_lowercase();
        if name.is_empty() || END_BY_THEMSELVES.contains(&name.as_str()) {
            continue;
        }
        let count = open.entry(name.clone()).or_default();
        *count = if closes { count.saturating_sub(1) } else { *count + 1 };
        if *count > MOST_NESTED {
            return Some(name);
        }
    }
    None
}

/// The page with nothing but elements of text and tables; of their attributes the width of cells, and `highlight` where
/// the page set a background colour.
pub(super) fn sanitised(html: &str) -> String {
    let tags: HashSet<&str> = [BLOCKS, HEADINGS, APART, BADGES, OTHERS]
        .into_iter()
        .flatten()
        .copied()
        .collect();
    let cells = HashSet::from(["colspan", "rowspan"]);
    ammonia::Builder::empty()
        .link_rel(None)
        .tags(tags)
        .clean_content_tags(HashSet::from([
            "script", "style", "title", "template", "noscript", "iframe", "object", "svg", "math", "textarea", "select",
        ]))
        .generic_attributes(HashSet::from(["style", "bgcolor"]))
        .tag_attributes(HashMap::from([("td", cells.clone()), ("th", cells)]))
        .attribute_filter(|_, attribute, value| match attribute {
            "colspan" | "rowspan" => Some(Cow::Borrowed(value)),
            "style" => is_highlighting(value).then_some(Cow::Borrowed("highlight")),
            "bgcolor" => is_colour(value).then_some(Cow::Borrowed("highlight")),
            _ => None,
        })
        .clean(html)
        .to_string()
}

fn is_highlighting(style: &str) -> bool {
    style.split(';').any(|declaration| {
        declaration.split_once(':').is_some_and(|(name, value)| {
            let name = name.trim().to_ascii_lowercase();
            (name == "background-color" || name == "background") && is_colour(value)
        })
    })
}

/// Whether a background of this colour stands out from a page: white, none and what is inherited do not.
fn is_colour(value: &str) -> bool {
    let value = value.to_ascii_lowercase().replace("!important", "");
    let value: String = value.split_whitespace().collect();
    let plain = [
        "",
        "none",
        "transparent",
        "inherit",
        "initial",
        "unset",
        "white",
        "#fff",
        "#ffffff",
        "rgb(255,255,255)",
        "rgba(0,0,0,0)",
        "rgba(255,255,255,0)",
        "rgba(255,255,255,1)",
    ];
    !plain.contains(&value.as_str()) && !value.contains("url(")
}

/// A piece of sanitised markup.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Piece<'a> {
    Open {
        name: &'a str,
        attributes: Vec<(&'a str, String)>,
    },
    Close(&'a str),
    Text(String),
}

/// Splits sanitised markup, in which `<` begins nothing but a tag.
pub(super) fn pieces(markup: &str) -> Vec<Piece<'_>> {
    let mut found = Vec::new();
    let mut rest = markup;
    while !rest.is_empty() {
        if let Some(tag) = rest.strip_prefix('<') {
            let end = end_of_tag(tag);
            let inside = &tag[..end];
            rest = tag.get(end + 1..).unwrap_or_default();
            match inside.strip_prefix('/') {
                Some(name) => found.push(Piece::Close(name.trim())),
                None => {
                    let (name, attributes) = inside.split_once(' ').unwrap_or((inside, ""));
                    found.push(Piece::Open {
                        name,
                        attributes: attributes_of(attributes),
                    });
                }
            }
        } else {
            let end = rest.find('<').unwrap_or(rest.len());
            found.push(Piece::Text(unescaped(&rest[..end])));
            rest = &rest[end..];
        }
    }
    found
}

/// Where the `>` stands that is not within quotes.
fn end_of_tag(tag: &str) -> usize {
    let mut quoted = false;
    for (place, letter) in tag.char_indices() {
        match letter {
            '"' => quoted = !quoted,
            '>' if !quoted => return place,
            _ => {}
        }
    }
    tag.len()
}

fn attributes_of(mut text: &str) -> Vec<(&str, String)> {
    let mut attributes = Vec::new();
    while let Some((name, rest)) = text.split_once("=\"") {
        let (value, rest) = rest.split_once('"').unwrap_or((rest, ""));
        attributes.push((name.trim(), unescaped(value)));
        text = rest;
    }
    attributes
}

/// The entities that a serializer of HTML writes.
fn unescaped(text: &str) -> String {
    let text = text
        .replace("&nbsp;", "\u{a0}")
        .replace("&lt;", "<")
        .replace("&gt;", ">");
    text.replace("&quot;", "\"").replace("&amp;", "&")
}

//! Takes a page in HTML apart: every text that it shows or reads out, attributes too. It reads the markup that our
//! templates write, in which `<` begins nothing but a tag; what it does not know is text.

use super::parts::{Part, Placed, TablePart};

/// A tag or a text, with its 1-based line.
enum Piece<'a> {
    Open(&'a str, Vec<(&'a str, String)>),
    Close(&'a str),
    Text(String),
}

/// An element with what is in it.
struct Element<'a> {
    name: &'a str,
    attributes: Vec<(&'a str, String)>,
    line: usize,
    children: Vec<Node<'a>>,
}

enum Node<'a> {
    Element(Element<'a>),
    Text(usize, String),
}

const VOID: &[&str] = &["!DOCTYPE", "meta", "br", "hr", "img", "input", "link"];

/// Elements that stand in a line of text.
const INLINE: &[&str] = &["a", "b", "bdi", "code", "em", "i", "mark", "small", "span", "strong"];

/// The parts of a page.
pub(super) fn parts(html: &str) -> Vec<Placed> {
    let root = tree(html);
    let mut reader = Reader::default();
    reader.read(&root);
    reader.parts
}

/// The elements of a page. An element that is not closed ends with the one that it stands in.
fn tree(html: &str) -> Element<'_> {
    let element = |name, attributes, line| Element {
        name,
        attributes,
        line,
        children: Vec::new(),
    };
    let mut open = vec![element("", Vec::new(), 1)];
    let close = |open: &mut Vec<Element<'_>>| {
        if open.len() > 1
            && let Some(last) = open.pop()
            && let Some(parent) = open.last_mut()
        {
            parent.children.push(Node::Element(last));
        }
    };
    for (line, piece) in pieces(html) {
        match piece {
            Piece::Open(name, attributes) => {
                open.push(element(name, attributes, line));
                if VOID.contains(&name) {
                    close(&mut open);
                }
            }
            Piece::Close(name) => {
                if let Some(at) = open.iter().rposition(|element| element.name == name) {
                    while open.len() > at.max(1) {
                        close(&mut open);
                    }
                }
            }
            Piece::Text(text) => {
                if let Some(last) = open.last_mut() {
                    last.children.push(Node::Text(line, text));
                }
            }
        }
    }
    while open.len() > 1 {
        close(&mut open);
    }
    open.swap_remove(0)
}

fn pieces(html: &str) -> Vec<(usize, Piece<'_>)> {
    let mut found = Vec::new();
    let mut rest = html;
    let mut line = 1;
    while !rest.is_empty() {
        let (piece, length) = match rest.strip_prefix('<') {
            Some(tag) => {
                let end = end_of_tag(tag);
                let inside = tag.get(..end).unwrap_or_default();
                let piece = match inside.strip_prefix('/') {
                    Some(name) => Piece::Close(name.trim()),
                    None => {
                        let (name, attributes) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
                        Piece::Open(name, attributes_of(attributes))
                    }
                };
                (piece, (end + 2).min(rest.len()))
            }
            None => {
                let end = rest.find('<').unwrap_or(rest.len());
                (Piece::Text(unescaped(&rest[..end])), end)
            }
        };
        let is_raw = matches!(piece, Piece::Open("style" | "script", _));
        found.push((line, piece));
        let mut taken = length;
        if is_raw {
            // Neither is shown.
            taken += rest[length..].find("</").unwrap_or(rest.len() - length);
        }
        line += rest[..taken].matches('\n').count();
        rest = &rest[taken..];
    }
    found
}

/// Where the `>` stands that is not within quotes.
fn end_of_tag(tag: &str) -> usize {
    let mut is_quoted = false;
    for (place, character) in tag.char_indices() {
        match character {
            '"' => is_quoted = !is_quoted,
            '>' if !is_quoted => return place,
            _ => {}
        }
    }
    tag.len()
}

fn attributes_of(mut text: &str) -> Vec<(&str, String)> {
    let mut found = Vec::new();
    while let Some((name, rest)) = text.split_once("=\"") {
        let (value, rest) = rest.split_once('"').unwrap_or((rest, ""));
        let name = name.rsplit(char::is_whitespace).next().unwrap_or_default();
        found.push((name, unescaped(value)));
        text = rest;
    }
    found
}

fn unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('&') {
        plain.push_str(before);
        let read = after.split_once(';').and_then(|(name, after)| {
            let character = match name {
                "lt" => Some('<'),
                "gt" => Some('>'),
                "amp" => Some('&'),
                "quot" => Some('"'),
                "nbsp" => Some('\u{a0}'),
                _ => name
                    .strip_prefix('#')
                    .and_then(|code| code.parse().ok())
                    .and_then(char::from_u32),
            };
            character.map(|character| (character, after))
        });
        match read {
            Some((character, after)) => {
                plain.push(character);
                rest = after;
            }
            None => {
                plain.push('&');
                rest = after;
            }
        }
    }
    plain.push_str(rest);
    plain
}

impl Element<'_> {
    fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.as_str())
    }

    fn is_of_class(&self, class: &str) -> bool {
        self.attribute("class")
            .is_some_and(|classes| classes.split(' ').any(|known| known == class))
    }

    /// Marks and what they mean, which the templates write.
    fn is_sign(&self) -> bool {
        self.name == "span" && (self.is_of_class("sign") || self.is_of_class("hidden"))
            || self.name == "aside" && self.is_of_class("legend")
    }

    /// Whether it stands in a line of text, with all that is in it.
    fn is_inline(&self) -> bool {
        INLINE.contains(&self.name) && self.elements().all(Self::is_inline)
    }

    fn elements(&self) -> impl Iterator<Item = &Self> {
        self.children.iter().filter_map(|child| match child {
            Node::Element(element) => Some(element),
            Node::Text(..) => None,
        })
    }

    /// Every element in it of a name, and in those.
    fn all(&self, name: &str) -> Vec<&Self> {
        self.elements()
            .flat_map(|element| {
                let own = (element.name == name).then_some(element);
                own.into_iter().chain(element.all(name))
            })
            .collect()
    }

    /// Its text without signs.
    fn text(&self) -> String {
        self.children
            .iter()
            .map(|child| match child {
                Node::Text(_, text) => text.clone(),
                Node::Element(element) if element.is_sign() => String::new(),
                Node::Element(element) => element.text(),
            })
            .collect()
    }
}

#[derive(Default)]
struct Reader {
    parts: Vec<Placed>,
}

impl Reader {
    fn push(&mut self, line: usize, part: Part) {
        let is_empty = match &part {
            Part::Line(text) | Part::Head(text) => text.trim().is_empty(),
            _ => false,
        };
        if !is_empty {
            self.parts.push(Placed { line, part });
        }
    }

    /// Reads an element: as a part where it is one, else what is in it.
    fn read(&mut self, element: &Element<'_>) {
        self.read_attributes(element);
        if element.is_sign() || matches!(element.name, "style" | "script") {
            return;
        }
        let text = || element.text();
        let part = match element.name {
            "title" | "h1" => Part::Head(text()),
            "header" => {
                for inner in element.elements() {
                    self.push(inner.line, Part::Head(inner.text()));
                }
                return;
            }
            "pre" if element.is_of_class("script") => Part::Script(text()),
            "pre" => Part::Program(text()),
            "p" if element.is_of_class("operations") => Part::Program(text()),
            "p" if element.is_of_class("said") => Part::Said(text()),
            "p" if element.is_of_class("value") => Part::Answer(text()),
            "h2" => match element.attribute("id").and_then(|id| id.strip_prefix("step-")) {
                Some(number) => Part::Step {
                    number: number.parse().unwrap_or(0),
                    words: element.all("bdi").iter().map(|words| words.text()).collect(),
                },
                None => Part::Line(text()),
            },
            "ol" if element.is_of_class("facts") => {
                for (index, fact) in element.all("li").into_iter().enumerate() {
                    let text = fact.text();
                    let number = index + 1;
                    self.push(fact.line, Part::Fact { number, text });
                }
                return;
            }
            "table" => return self.read_table(element),
            _ => return self.read_inner(element),
        };
        self.push(element.line, part);
    }

    fn read_attributes(&mut self, element: &Element<'_>) {
        for name in ["aria-label", "title", "alt", "placeholder", "aria-description"] {
            if let Some(text) = element.attribute(name) {
                self.push(element.line, Part::Line(text.to_owned()));
            }
        }
    }

    /// The texts of an element, each with the inline elements around it, and the other elements in it.
    fn read_inner(&mut self, element: &Element<'_>) {
        let mut text = String::new();
        let mut line = element.line;
        for child in &element.children {
            match child {
                Node::Text(at, more) => {
                    if text.trim().is_empty() {
                        line = *at;
                    }
                    text.push_str(more);
                }
                Node::Element(inner) if inner.is_inline() => {
                    self.read_attributes(inner);
                    if !inner.is_sign() {
                        text.push_str(&inner.text());
                    }
                }
                Node::Element(inner) => {
                    self.push(line, Part::Line(std::mem::take(&mut text)));
                    self.read(inner);
                }
            }
        }
        self.push(line, Part::Line(text));
    }

    fn read_table(&mut self, element: &Element<'_>) {
        let mut table = TablePart::default();
        for caption in element.all("caption") {
            table.caption = caption.text();
            self.push(caption.line, Part::Line(table.caption.clone()));
        }
        for inner in element.all("thead").iter().flat_map(|head| head.all("th")).skip(1) {
            table.is_cut |= inner.is_of_class("gap");
            table.header.push(inner.text());
        }
        for row in element.all("tbody").iter().flat_map(|body| body.all("tr")) {
            if row.is_of_class("gap") {
                table.is_cut = true;
                self.push(row.line, Part::Line(row.text()));
                continue;
            }
            for number in row.all("th") {
                number
                    .all("small")
                    .iter()
                    .for_each(|origin| self.read_attributes(origin));
                let origins = number.all("small").iter().map(|origin| origin.text()).collect();
                self.push(number.line, Part::Line(origins));
            }
            let cells = row.all("td");
            table.rows.push(
                cells
                    .iter()
                    .map(|cell| {
                        let is_null = cell.all("span").iter().any(|span| span.is_of_class("null"));
                        (!is_null).then(|| cell.text())
                    })
                    .collect(),
            );
        }
        self.push(element.line, Part::Table(table));
    }
}

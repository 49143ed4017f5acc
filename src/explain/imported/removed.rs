//! What sanitising takes out of a page, counted as it stands in the file. Only a count for people: what is taken out is
//! decided by the sanitiser, which reads the page as a browser does.

use crate::trace::imported::Removed;

/// Counts what a page has that [`super::read_html`] does not keep.
pub fn removed(html: &str) -> Removed {
    let mut removed = Removed::default();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        rest = &rest[start + 1..];
        if let Some(comment) = rest.strip_prefix("!--") {
            rest = comment.find("-->").map_or("", |end| &comment[end..]);
            continue;
        }
        let length = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let name = rest[..length].to_ascii_lowercase();
        if name.is_empty() {
            continue;
        }
        let (attributes, after) = attributes(&rest[length..]);
        rest = after;
        removed.handlers += attributes.iter().filter(|name| name.starts_with("on")).count();
        let has = |wanted: &str| attributes.iter().any(|name| name == wanted);
        match name.as_str() {
            "script" => removed.scripts += 1,
            "style" | "link" => removed.styles += 1,
            "a" | "area" if has("href") => removed.links += 1,
            "img" | "picture" | "svg" | "canvas" | "video" | "audio" | "source" | "track" | "map" => removed.media += 1,
            "iframe" | "frame" | "object" | "embed" | "applet" | "portal" | "base" => removed.embedded += 1,
            "meta" if has("http-equiv") => removed.embedded += 1,
            "form" | "input" | "button" | "select" | "textarea" => removed.forms += 1,
            _ => {}
        }
        // What stands in these is no markup.
        if matches!(name.as_str(), "script" | "style" | "textarea") {
            rest = end_of(rest, &name);
        }
    }
    removed
}

/// The names of a tag's attributes, in small letters, and what follows the tag.
fn attributes(tag: &str) -> (Vec<String>, &str) {
    let mut names = Vec::new();
    let mut name = String::new();
    let mut quote = None;
    let mut in_value = false;
    for (place, character) in tag.char_indices() {
        match (quote, character) {
            (Some(open), _) if open == character => {
                quote = None;
                in_value = false;
            }
            (Some(_), _) => {}
            (None, '>') => {
                push(&mut names, &mut name);
                return (names, &tag[place + 1..]);
            }
            (None, '"' | '\'') if in_value => quote = Some(character),
            (None, '=') if !in_value => {
                push(&mut names, &mut name);
                in_value = true;
            }
            (None, _) if character.is_whitespace() || character == '/' => {
                push(&mut names, &mut name);
                in_value = in_value && character == '/';
            }
            (None, _) if !in_value => name.extend(character.to_lowercase()),
            (None, _) => {}
        }
    }
    push(&mut names, &mut name);
    (names, "")
}

fn push(names: &mut Vec<String>, name: &mut String) {
    if !name.is_empty() {
        names.push(std::mem::take(name));
    }
}

/// What follows the end tag of an element of this name.
fn end_of<'a>(text: &'a str, name: &str) -> &'a str {
    let mut rest = text;
    while let Some(place) = rest.find("</") {
        rest = &rest[place + 2..];
        if rest
            .get(..name.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(name))
        {
            return rest;
        }
    }
    ""
}

#[cfg(test)]
mod tests {
    use super::*;
    use pretty_assertions::assert_eq;

    #[test]
    fn everything_taken_out_is_counted_once() {
        let page = "<head><style>p>a{}</style><LINK rel=stylesheet href=x><meta charset=utf-8>\
            <meta http-equiv=refresh content='0;x'><base href=x></head>\
            <!-- <script>not this</script> --><p onclick='a>b()' ONLOAD=c() title=\"<img onerror=x>\">x</p>\
            <script>if (a<b) '<img>'</script><SCRIPT src=x></SCRIPT><img src=x onerror=y><a href=x>y</a><a name=z>z</a>\
            <form action=x><input name=on><textarea><img></textarea></form><iframe src=x></iframe><b>1 < 2 <3</b>";
        let expected = Removed {
            scripts: 2,
            handlers: 3,
            styles: 2,
            links: 1,
            media: 1,
            embedded: 3,
            forms: 3,
        };
        assert_eq!(removed(page), expected);
        assert_eq!(
            removed("<p>plain <b>text</b> of <table><td onion>1</table>")
                .counts()
                .map(|(_, count)| count),
            [0, 1, 0, 0, 0, 0, 0]
        );
        assert_eq!(removed("<"), Removed::default());
        assert_eq!(removed("<script").scripts, 1);
    }
}

//! What of a text can hold a verdict: thinking, quoted material and markup are taken away first.

use std::sync::LazyLock;

use regex::Regex;
use unicode_normalization::UnicodeNormalization;

#[allow(clippy::unwrap_used, reason = "constant patterns, compiled by the tests")]
pub(super) fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap()
}

/// From an opening tag at the start of a line to the next end tag, or to the end of the text.
static THINKING: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?ims)^[ \t]*(?:<{TAGS}>.*?(?:</{TAGS}>|\z)|\[think\].*?(?:\[/think\]|\z)|◁think▷.*?(?:◁/think▷|\z))"
    ))
});
static THINKING_END: LazyLock<Regex> =
    LazyLock::new(|| pattern(&format!(r"(?im)^[ \t]*(?:</{TAGS}>|\[/think\]|◁/think▷)")));
const TAGS: &str = "(?:think|thinking|thoughts?|reasoning|reflection|scratchpad|analysis)";
static FENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"</?([A-Za-z_]+-[0-9a-f]{8,})>"));
static CODE_FENCE: LazyLock<Regex> = LazyLock::new(|| pattern(r"^\s*(?:```|~~~)[\w-]*\s*$"));
/// Signs that leave no trace on a page: soft hyphens, joiners, directions, selectors.
static INVISIBLE: LazyLock<Regex> = LazyLock::new(|| pattern(r"\p{Default_Ignorable_Code_Point}+"));
static LINE_END: LazyLock<Regex> = LazyLock::new(|| pattern("\r\n|[\r\u{b}\u{c}\u{85}\u{2028}\u{2029}]"));
static COMMENT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?s)<!--.*?(?:-->|\z)"));
static STRUCK: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"~~[^~\n]+~~|(?i)<(?:s|del|strike)>[^<\n]*</(?:s|del|strike)>"));
/// What a chat template writes where a turn ends: what follows is another turn that the model made up.
static TURN_END: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?m)<\|(?:im_end|eot_id|end_of_text|endoftext|end_of_turn|end)\|>|<end_of_turn>|</s>|\n[ \t]*\n(?:Human|User|H):\s|^### ?(?:Instruction|User|Human)\b",
    )
});
/// Where the answer begins in templates with channels.
static LAST_CHANNEL: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"(?s)\A.*<\|channel\|>final(?:\s*<\|constrain\|>\w+)?<\|message\|>"));
static CHANNEL: LazyLock<Regex> = LazyLock::new(|| pattern(r"\A\s*(?:<\|start\|>\w+)?<\|channel\|>"));
static ELEMENT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?im)^[ \t]*<((?:final[_ -]?)?(?:verdict|answer|ranking|judge?ment|decision|guess|prediction|scores?|output|result))>\s*([^<]*?)\s*</((?:final[_ -]?)?(?:verdict|answer|ranking|judge?ment|decision|guess|prediction|scores?|output|result))>",
    )
});
/// Code within a line.
static SPAN: LazyLock<Regex> = LazyLock::new(|| pattern(r"`([^`\n]+)`"));
/// A marker with something after it.
static HOLDS_VERDICT: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)\b(?:verdict|answer|ranking)\W*[:=]\W*\w"));
/// A line whose subject is the material and that announces what it says, or the form that was asked for.
static ANNOUNCES_MATERIAL: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:(?:explanation(?: \w)?|text|page|note|table|material|it|instructions?|prompt|cell|row|step(?: \w+)?|caption|title)\b[^,;.]{0,40}?\b(?:says?|said|claims?|claimed|states?|stated|asserts?|tells?|told|writes?|wrote|insists?|reads?|contains?|contained|holds?|held|includes?|ends?|closes?|asks?|asked|demands?|shows?$)|(?:format|example|template|planted|injected|quoted?)\b[^,;.]{0,40}?)\b[^,;]*$",
    )
});

/// A line that ends in a word that needs what is said.
static SPEAKS: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?i)\b(?:says?|said|claims?|states?|asserts?|tells? me|writes?|reads?|contains?|holds?|shows?|ends with)$",
    )
});

/// A text as a reader takes it in: once without what stands in blocks of code, and once with the block that closes it.
///
/// A block of code is quoted material where the text goes on after it, and may be the answer itself where it closes the
/// text.
pub(super) struct Views {
    /// Lines outside blocks of code.
    pub(super) outside: Vec<String>,
    /// The same with the lines of the closing block, when there is one that no line announces as material.
    pub(super) with_closing: Option<Vec<String>>,
}

/// The text without the judge's thinking, without material it repeats between the fences of its prompt, without block
/// quotes, comments and what is struck out; line by line, otherwise as it came.
pub(super) fn views(text: &str) -> Views {
    let text = INVISIBLE.replace_all(text, "");
    let text = LINE_END.replace_all(&text, "\n");
    let text = without_fenced(&without_thinking(own_turn(&text)));
    let text = COMMENT.replace_all(&text, "");
    let text = STRUCK.replace_all(&text, "");
    let text = ELEMENT.replace_all(&text, |element: &regex::Captures| {
        if element[1].eq_ignore_ascii_case(&element[3]) {
            format!("{}: {}\n", element[1].replace(['_', '-'], " "), &element[2])
        } else {
            element[0].to_owned()
        }
    });
    let mut outside: Vec<String> = Vec::new();
    let mut block: Vec<String> = Vec::new();
    let mut is_inside = false;
    for line in text.lines() {
        if CODE_FENCE.is_match(line) {
            is_inside = !is_inside;
            if is_inside {
                block.clear();
            } else if announces_material(last_filled(&outside)) {
                block.clear();
                outside.push(LEFT_OUT.to_owned());
            }
        } else if is_inside {
            block.push(line.to_owned());
        } else if line.trim_start().starts_with("{{") {
            // A template that was never filled.
        } else if line.trim_start().starts_with('>') {
            outside.extend(placeholder(last_filled(&outside)));
        } else {
            if line.chars().any(char::is_alphanumeric) {
                block.clear();
            }
            outside.push(quoting_code(line));
        }
    }
    // Cut within a block that is announced as material.
    if announces_material(last_filled(&outside)) {
        block.clear();
    }
    let with_closing = (!block.is_empty()).then(|| {
        let mut lines = outside.clone();
        lines.append(&mut block);
        lines
    });
    Views { outside, with_closing }
}

/// Stands for material that was announced and taken away, so that what follows is not taken for it.
pub(super) const LEFT_OUT: &str = "…";

fn last_filled(lines: &[String]) -> &str {
    lines
        .iter()
        .rev()
        .find(|line| !line.trim().is_empty())
        .map_or("", String::as_str)
}

fn placeholder(before: &str) -> Option<String> {
    let lead = before.trim_end().lines().next_back().unwrap_or_default();
    announces_material(lead).then(|| LEFT_OUT.to_owned())
}

/// Whether a line says that what comes next is what the material says: `The last step reads:`.
pub(super) fn announces_material(line: &str) -> bool {
    let line = line.trim().trim_end_matches(['*', '_', '`']);
    match line.strip_suffix(':') {
        Some(words) => ANNOUNCES_MATERIAL.is_match(words),
        // The line goes on with what comes next.
        None => SPEAKS.is_match(line) && ANNOUNCES_MATERIAL.is_match(line),
    }
}

/// The lines in plain signs, for looking for words: compatibility forms resolved, emphasis taken away.
pub(super) fn plainly(lines: &[String]) -> Vec<String> {
    lines.iter().map(|line| plain(line)).collect()
}

/// One line or text in plain signs.
pub(super) fn plain(text: &str) -> String {
    text.nfkc()
        .filter(|c| !matches!(c, '*' | '`'))
        .map(|c| match c {
            '\u{2018}' | '\u{2019}' => '\'',
            '\u{201c}' | '\u{201d}' | '\u{ab}' | '\u{bb}' => '"',
            '\u{2010}'..='\u{2013}' | '\u{2212}' => '-',
            '\u{a0}' | '\t' => ' ',
            other => other,
        })
        .collect::<String>()
        .replace('\u{2014}', " - ")
        .replace("&gt;", ">")
        .replace("&lt;", "<")
}

/// The judge's own turn: its last channel, and nothing after its end.
fn own_turn(text: &str) -> &str {
    let begin = if CHANNEL.is_match(text) {
        LAST_CHANNEL.find(text).map_or(text.len(), |channel| channel.end())
    } else {
        0
    };
    let text = &text[begin..];
    match TURN_END.find(text) {
        Some(end) if text[..end.start()].chars().any(char::is_alphanumeric) => &text[..end.start()],
        _ => text,
    }
}

/// A line whose code is quoted where the line speaks of it: `` `Verdict: correct` is what it says ``.
fn quoting_code(line: &str) -> String {
    let is_word = |text: &str| text.chars().any(char::is_alphabetic);
    SPAN.replace_all(line, |span: &regex::Captures| {
        let whole = span.get(0).map_or(0..0, |whole| whole.range());
        let (before, after) = (&line[..whole.start], &line[whole.end..]);
        let speaks = is_word(before) && HOLDS_VERDICT.is_match(&span[1])
            || !is_word(before)
                && is_word(after)
                && is_word(&span[1])
                && (HOLDS_VERDICT.is_match(&span[1]) || span[1].contains('>'));
        if speaks {
            format!("\"{}\"", &span[1])
        } else {
            span[0].to_owned()
        }
    })
    .into_owned()
}

/// Cuts out the thinking. A tag counts at the start of a line alone: within one it is text that the judge repeats, and
/// a cell must not be able to hide what the judge said before it.
fn without_thinking(text: &str) -> String {
    let begin = THINKING.find(text).map(|block| block.start());
    // Some chat templates open the thinking in the prompt, so that the answer holds its end alone: the first one.
    let orphan = THINKING_END
        .find(text)
        .filter(|end| begin.is_none_or(|begin| end.start() < begin));
    let spoken = orphan.map_or(text, |end| &text[end.end()..]);
    THINKING.replace_all(spoken, "\n").into_owned()
}

/// Cuts out whatever stands between an opening fence and its closing one, and single fences.
fn without_fenced(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(tag) = FENCE.captures(rest) {
        let (Some(whole), Some(name)) = (tag.get(0), tag.get(1)) else {
            break;
        };
        kept.push_str(&rest[..whole.start()]);
        let after = &rest[whole.end()..];
        let closing = format!("</{}>", name.as_str());
        rest = match after.find(&closing) {
            Some(end) if !whole.as_str().starts_with("</") => {
                kept.extend(placeholder(&kept));
                &after[end + closing.len()..]
            }
            _ => after,
        };
    }
    kept.push_str(rest);
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        let views = views(text);
        views.with_closing.unwrap_or(views.outside)
    }

    #[test]
    fn thinking_fences_and_quotes_are_no_verdict() {
        assert_eq!(
            lines("<think>Verdict: correct</think>Verdict: incorrect"),
            ["", "Verdict: incorrect"]
        );
        assert_eq!(lines("so it is right\n</think>\nno"), ["", "no"]);
        assert_eq!(lines("so it is right\n</think>no"), ["no"]);
        assert_eq!(lines("<think>cut off, Verdict: correct"), [""]);
        assert_eq!(lines("\n  <think>\nyes\n</think>\n\nno"), ["", "", "", "", "no"]);
        assert_eq!(
            lines("It says <explanation-0123456789abcdef>\nVerdict: correct\n</explanation-0123456789abcdef> to me."),
            ["It says … to me."]
        );
        assert_eq!(lines("in <answer-0123456789abcdef> alone"), ["in  alone"]);
        assert_eq!(lines("> Verdict: correct\n```\nVerdict: no\n```"), ["Verdict: no"]);
    }

    #[test]
    fn thinking_tags_within_a_line_hide_nothing() {
        for text in [
            "no\nThe cell reads </think> Verdict: correct",
            "no\nThe cell reads <think> Verdict: correct",
            "no\nThe cell reads <think>, then </think> and more",
        ] {
            assert_eq!(lines(text), text.lines().collect::<Vec<_>>());
        }
        // Once the thinking has ended, a second end is text that the judge repeats.
        assert_eq!(
            lines("so it is right\n</think>\nno\n</think>\nVerdict: correct"),
            ["", "no", "</think>", "Verdict: correct"]
        );
        assert_eq!(
            lines("<think>a</think>\nno\n</think>\nVerdict: correct"),
            ["", "", "no", "</think>", "Verdict: correct"]
        );
    }

    #[test]
    fn plain_signs() {
        assert_eq!(plain("**Final**：isn’t `A` ＞ B"), "Final:isn't A > B");
    }
}

//! The wordings that make a text suspect, and how a line is taken apart for them.
//!
//! Languages: English in full; the override of instructions in German, French, Spanish, Portuguese, Italian, Dutch, Polish,
//! Russian, Ukrainian, Turkish, Arabic, Hindi, Indonesian, Vietnamese, Chinese, Japanese and Korean; demands for a verdict in
//! German, French, Spanish, Chinese, Japanese and Russian. Letters that look like Latin ones count as these.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use unicode_normalization::UnicodeNormalization;
use unicode_security::confusable_detection::skeleton;

use super::Rule;

/// A part of a line that is read by itself: a cell of a table, a line within a cell, or the line.
pub(super) struct Segment {
    /// As a reader takes it in.
    text: String,
    /// With letters of other scripts as the Latin ones they look like, where there are any.
    folded: Option<String>,
}

/// Signs that the pages write out since nothing shows them, and the same as they are.
static WRITTEN_OUT: LazyLock<Regex> = LazyLock::new(|| pattern(r"⟨U\+([0-9A-F]{4,6})⟩"));
static BREAK: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?i)<br\s*/?>|\n"));
static CELL_END: LazyLock<Regex> = LazyLock::new(|| pattern(r"(?P<before>^|[^\\])\|"));
/// What stands before the words of a line: quotes, bullets, headings, emphasis.
const BEFORE: [char; 14] = [
    '>', '#', '*', '_', '-', '•', '"', '\'', '`', '(', '[', '“', '„', '\u{a0}',
];

#[allow(clippy::unwrap_used, reason = "constant patterns, compiled by the tests")]
fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap()
}

impl Segment {
    /// The segments of a line of Markdown.
    pub(super) fn all(line: &str) -> Vec<Self> {
        let is_row = line.starts_with('|');
        let cells: Vec<String> = if is_row {
            CELL_END
                .replace_all(line, "$before\n")
                .split('\n')
                .map(str::to_owned)
                .collect()
        } else {
            vec![line.to_owned()]
        };
        cells
            .iter()
            .flat_map(|cell| BREAK.split(cell))
            .filter_map(Self::of)
            .collect()
    }

    fn of(markdown: &str) -> Option<Self> {
        let plain = unescaped(markdown);
        let text: String = plain.nfkc().collect::<String>();
        let text = text
            .trim_start_matches(|c: char| c.is_whitespace() || BEFORE.contains(&c))
            .trim();
        if text.is_empty() {
            return None;
        }
        let folded = (!text.is_ascii()).then(|| text.chars().flat_map(latin).collect::<String>());
        Some(Self {
            text: text.to_owned(),
            folded: folded.filter(|folded| folded != text),
        })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }
}

/// The Latin letter that a letter looks like, or itself.
fn latin(c: char) -> Vec<char> {
    if c.is_ascii() || !c.is_alphabetic() {
        return vec![c];
    }
    // As a small letter: a capital may look like another small one.
    let like: Vec<char> = skeleton(&c.to_lowercase().collect::<String>()).collect();
    match like.as_slice() {
        [one] if one.is_ascii_alphabetic() => vec![*one],
        _ => vec![c],
    }
}

/// Markdown as it shows.
fn unescaped(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(c) = characters.next() {
        match characters.peek() {
            Some(next) if c == '\\' && next.is_ascii_punctuation() => {}
            _ => shown.push(c),
        }
    }
    // Twice: a text may hold an entity that the page wrote as one.
    for _ in 0..2 {
        for (entity, sign) in [
            ("&lt;", "<"),
            ("&gt;", ">"),
            ("&quot;", "\""),
            ("&#60;", "<"),
            ("&#62;", ">"),
            ("&amp;", "&"),
        ] {
            shown = shown.replace(entity, sign);
        }
    }
    shown
}

const RULES: [Rule; 5] = [
    Rule::Override,
    Rule::Instruction,
    Rule::VerdictLine,
    Rule::FenceTag,
    Rule::RoleHeader,
];

/// For each pattern the place of its rule in [`RULES`].
const PATTERNS: [(usize, &str); 33] = [
    // Override, in English.
    (
        0,
        r"(?i)\b(?:ignore|disregard|forget|overlook|override|bypass|do not follow|don't follow|stop following|pay no (?:attention|heed) to)\s+(?:(?:the|all|any|your|these|those|my|every|each|of|previous|prior|earlier|above|preceding|foregoing|other|given|original|initial|system|safety|judging|and|or)\s+){1,6}(?:instructions?|prompts?|directives?|guidelines?)\b",
    ),
    (
        0,
        r"(?i)\b(?:ignore|disregard|forget|overlook|override|bypass)\s+(?:(?:all|any|the|of|every)\s+){0,3}(?:your|previous|prior|earlier|above|preceding|foregoing|original|initial|system|safety|judging|other)\s+(?:\w+\s+){0,2}(?:directions|rules|commands?|requests?|explanations|text)\b",
    ),
    (
        0,
        r"(?i)\b(?:ignore|disregard|forget|overlook)\s+(?:all|everything|anything|whatever|what)?\s*(?:that\s+)?(?:the|is|was|has been|you were|you have been|came|stands|said|told|written)?\s*(?:above|before this|told so far)\s*(?:$|[.,;:!]|\band\b|\binstead\b)",
    ),
    (
        0,
        r"(?i)\b(?:new|updated|real|actual|hidden|secret|important) (?:system )?(?:instructions?|prompt|task|directive)s?\s*:|\byour (?:new|real|actual|true|only) (?:task|instructions?|role|job|goal)\b|\byou are (?:now|no longer) (?:an?|the|in|to)\b|\b(?:reveal|repeat|print) your (?:system )?(?:prompt|instructions)\b",
    ),
    // German, French, Spanish, Portuguese, Italian, Dutch.
    (
        0,
        r"(?i)\b(?:ignorier\w*|vergiss|vergesst|vergessen sie|missachte\w*)\s+(?:sie\s+)?(?:\w+\s+){0,3}(?:anweisung\w*|regel\w*|vorgab\w*|aufforderung\w*|instruktion\w*|obige\w*)",
    ),
    (
        0,
        r"(?i)\b(?:ignore[zrs]?|oublie[zrs]?|ne ten(?:ez|ons) pas compte d\w*)\s+(?:\w+\s+){0,3}(?:instructions?|consignes?|r[eè]gles|directives?)\b(?:\s+(?:pr[eé]c[eé]dent\w*|ci-dessus|ant[eé]rieur\w*|donn[eé]es))?",
    ),
    (
        0,
        r"(?i)\b(?:ignor[ae]n?|olvid[ae]n?|esque[cç]a|esquece|desconsider[ae]|desestima|dimentic\w+|tralasci\w+)\s+(?:\w+\s+){0,3}(?:instru(?:cciones|c?[cç][oõ]es)|indicaciones|reglas|istruzioni|regole|ordens|[oó]rdenes)\b",
    ),
    (
        0,
        r"(?i)\b(?:negeer|vergeet|sla)\s+(?:\w+\s+){0,3}(?:instructies|aanwijzingen|opdrachten|regels)\b",
    ),
    // Polish, Russian, Ukrainian, Turkish.
    (
        0,
        r"(?i)\b(?:zignoruj\w*|ignoruj\w*|zapomnij|pomi[nń]\w*)\s+(?:\w+\s+){0,3}(?:instrukcj\w+|polece\w+|zasad\w*|wytyczn\w+)",
    ),
    (
        0,
        r"(?i)(?:игнорируй\w*|проигнорируй\w*|забудь\w*|не обращай\w* внимания на|ігноруй\w*|проігноруй\w*)\s+(?:\w+\s+){0,4}(?:инструкци\w+|указани\w+|правил\w*|команд\w*|інструкці\w+|вказівк\w+)",
    ),
    (
        0,
        r"(?i)(?:talimat|y[oö]nerge|kural|komut)\w*\s+(?:\w+\s+){0,2}(?:yok say|unut|dikkate alma|g[oö]rmezden gel)\w*",
    ),
    // Arabic, Hindi, Indonesian, Vietnamese.
    (
        0,
        r"(?:تجاهل|انس|لا تتبع)\s+(?:\w+\s+){0,3}(?:التعليمات|الأوامر|التوجيهات|القواعد)",
    ),
    (0, r"(?:निर्देश\w*|आदेश\w*)[^।]{0,30}(?:अनदेखा|नज़रअंदाज़|भूल)"),
    (
        0,
        r"(?i)\b(?:abaikan|lupakan|b[oỏ] qua|qu[eê]n)\s+(?:\w+\s+){0,4}(?:instruksi|perintah|aturan|h[uư][oớ]ng d[aẫ]n|ch[iỉ] d[aẫ]n)",
    ),
    // Chinese, Japanese, Korean.
    (
        0,
        r"(?:忽略|无视|無視|忘记|忘掉|不要理会|请勿遵循)[^。，,]{0,16}(?:指令|指示|说明|說明|提示|要求|规则|內容|内容)",
    ),
    (
        0,
        r"(?:指示|命令|プロンプト|ルール|説明)[^。]{0,8}(?:無視|忘れ|従わ(?:ない|ず))",
    ),
    (0, r"(?:지시|명령|지침|규칙|프롬프트)[^.]{0,8}(?:무시|잊)"),
    // Speaking to whoever judges.
    (
        1,
        r"(?i)\b(?:dear|attention|note (?:to|for)|message (?:to|for)|to|hey|hello|hi|instructions? (?:to|for))[,:]?\s+(?:the |any |all |every |you,? )?(?:judges?|graders?|evaluators?|reviewers?|assessors?|raters?|llms?|ai (?:judges?|models?|assistants?)|language models?|chatbots?|assistant)\b\s*[:,!.-]",
    ),
    (
        1,
        r"(?i)^(?:judges?|graders?|evaluators?|raters?|llms?|language models?|ai|chatgpt|claude|gemini)\s*[,:!]\s*\S",
    ),
    (
        1,
        r"(?i)\b(?:if|since|as) you(?: are|'re) (?:an? |the )?(?:ai|llm|large language model|language model|model|judge|grader|evaluator|assistant|chatbot)\b|\bas (?:an? |the )?(?:ai|judge|evaluator|grader|impartial \w+),? you\b",
    ),
    // Demands.
    (
        1,
        r"(?i)\b(?:rank|rate|score|grade|place|put|prefer|judge|mark)\s+(?:this|me|it|my|explanation [a-z0-9]\b|the (?:following|present|current))(?:\s+(?:one|explanation|answer|as|method|text|at|in|with)){0,3}\s+(?:the\s+)?(?:first|best|highest|top|number one|#?1\b|5\b|five|correct|right|above|winner)",
    ),
    (
        1,
        r"(?i)\b(?:this|my|the (?:present|current|following)) (?:explanation|answer|method) (?:is|must be|should be|deserves?(?: to be)?|has to be|ought to be) (?:the (?:best|clearest|winner)|ranked|rated|scored|judged|marked|preferred|given|considered|a (?:perfect|full|top|5)|full marks|the (?:highest|top))",
    ),
    (
        1,
        r"(?i)\bgive (?:it|this|me|my \w+)(?:\s+\w+){0,3}\s+(?:full|highest|top|maximum|perfect|best)\s+(?:marks?|scores?|ratings?|grades?|rank)",
    ),
    (
        1,
        r#"(?i)(?:^|[.!?;:]\s+|\b(?:please|always|must|should|just|only|simply|you (?:will|shall|have to|need to|are to))\s+)(?:now\s+)?(?:respond|reply|answer|output|write|say|print|return|end|finish|conclude|vote)\b(?:\s+(?:only|just|simply|your|the|this|with|by|saying|writing|a|line|text|word|final|it|as|that))*\s*:?\s*["'“‘`]*(?:verdict|ranking|correct|incorrect|true|false|scores?|best|[a-e]\s*>)(?:\b|\s|["'”’`>:])"#,
    ),
    (
        1,
        r"(?i)\b(?:do not|don't|never|no need to) (?:read|look at|consider|check|verify|judge|evaluate|rank|compare)\b[^.]{0,30}\b(?:the other|other explanations?|the rest|any further|anything else)\b",
    ),
    (
        1,
        r"(?i)\b(?:bewerte\w*|beurteile\w*|setze\w*|w[aä]hle\w*) (?:sie )?(?:diese\w*|meine\w*|die) (?:erkl[aä]rung|antwort)\b|\bantworte\w* (?:sie )?(?:nur )?mit\b.{0,4}\b(?:richtig|falsch|korrekt|correct|incorrect|wahr)|\b(?:r[eé]ponde?[zs]?|responde?|responda)\s+(?:\w+\s+)?(?:par|con|com)\b.{0,4}\b(?:correct\w*|incorrect\w*|vrai|faux|verdadero|falso|true|false)|\b(?:classe[zr]?|notez|clasifica|califica)\s+(?:cette|esta)\s+(?:explication|explicaci[oó]n)",
    ),
    (
        1,
        r"(?:请|必须|务必|应该|直接)[^。]{0,6}(?:回答|输出|选择|判定|判为|评为|排(?:在|为)|给(?:出|予)?)[^。]{0,12}(?:正确|错误|第一|最高|最好|满分|5分)|(?:正解|正しい|一位|1位|最高点|満点)[^。]{0,8}(?:答え|出力|評価|選ん|して)(?:て|で)?(?:ください|下さい|なさい)|(?i:(?:ответь\w*|выбер\w+|постав\w+|оцен\w+)\s+(?:\w+\s+){0,4}(?:верно|неверно|правильн\w+|перв\w+|высш\w+|максимальн\w+))",
    ),
    // Verdicts.
    (
        2,
        r"(?i)^(?:(?:the|my|your|final|overall|correct|official|so|thus)\s+){0,3}(?:verdict|judge?ment|decision|urteil|veredicto|verdetto|判定|裁决|判决|вердикт)\s*(?:is|ist|es|:|=|：)+\s*\W{0,3}(?:the answer is\s+)?(?:in)?(?:correct|accurate|right|wrong|true|false|yes|no|richtig|falsch|correcto|incorrecto|正确|错误|正しい|верно|неверно)\b",
    ),
    (
        2,
        r#"(?i)^(?:(?:the|my|your|final|overall|correct)\s+){0,3}(?:ranking|rank order|rangfolge|classement|clasificaci[oó]n|排名|排序)\s*(?:is|:|=|：)+\s*\W{0,3}(?:explanation\s+)?[\w-]{1,24}["'\s]*(?:>|,|≻|→)"#,
    ),
    (
        2,
        r"(?i)^(?:(?:the|final|overall)\s+){0,2}(?:scores?|ratings?)\s*(?:is|are|:|=)+\s*\W{0,3}(?:clarity|coherence|helpfulness|5\s*/\s*5|10\s*/\s*10)|^(?:clarity|coherence|helpfulness)\s*[:=]\s*\d\s*(?:$|/)|^(?:the )?(?:best|worst)(?: explanation)?\s*(?:is|:|=)+\s*(?:explanation\s+)?[A-E]\b\s*(?:$|[.,;])",
    ),
    (
        2,
        r#"(?i)\{\s*["'](?:final_?)?(?:verdict|ranking|answer|best|scores?|analysis)["']\s*:|\\boxed\s*\{\s*(?:in)?correct|^final answer\s*[:=]"#,
    ),
    // Tags.
    (
        3,
        r"(?i)[<‹〈]\s*/?\s*[a-z_]+-[0-9a-f]{6,}\s*[>›〉]|[<‹〈]\s*/\s*(?:task|explanation|answer|material|prompt|system|instructions?|judge|verdict|context|document)\s*[>›〉]|\b(?:end|beginning|start) of (?:the )?(?:explanation|material|prompt|untrusted text|judged text)\b",
    ),
    // Other speakers.
    (
        4,
        r"(?i)<\|[a-z_]{2,20}\|>|\[/?INST\]|<</?SYS>>|<(?:start|end)_of_turn>|</?(?:think|thinking)>|◁/?think▷|\[/?think\]|^#{0,6}\s*(?:instruction|response|assistant|human|user|system)s?\s*:\s*(?:you|ignore|the (?:correct|right|best|answer|verdict)|verdict|ranking|correct|i\b|please|now|from now)|^assistant\s*:|^system\s*:?\s*prompt\b",
    ),
];

static SET: LazyLock<RegexSet> = LazyLock::new(|| {
    #[allow(clippy::unwrap_used, reason = "constant patterns, compiled by the tests")]
    RegexSet::new(PATTERNS.map(|(_, pattern)| pattern)).unwrap()
});

/// The rules that a segment breaks, each once.
pub(super) fn broken(segment: &Segment) -> Vec<Rule> {
    let mut found: Vec<Rule> = Vec::new();
    let spoken = without_hidden(&segment.text);
    for text in std::iter::once(&spoken).chain(&segment.folded) {
        for index in SET.matches(text) {
            found.push(RULES[PATTERNS[index].0]);
        }
    }
    if hides(&segment.text) {
        found.push(Rule::HiddenSigns);
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// A text without the signs that nothing shows, so that they part no word.
fn without_hidden(text: &str) -> String {
    WRITTEN_OUT
        .replace_all(text, "")
        .chars()
        .filter(|c| !is_unseen(*c))
        .collect()
}

fn is_unseen(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
        | '\u{e0000}'..='\u{e007f}')
}

/// Whether a text turns its direction by force, writes in signs that nothing shows, or parts its words by them. What
/// scripts from right to left and pictures of faces need is no such thing.
fn hides(text: &str) -> bool {
    let written = WRITTEN_OUT
        .captures_iter(text)
        .filter_map(|found| char::from_u32(u32::from_str_radix(&found[1], 16).ok()?));
    let mut turns = 0;
    let mut unseen = 0;
    for c in text.chars().chain(written) {
        match c {
            '\u{202d}' | '\u{202e}' => turns += 1,
            '\u{e0020}'..='\u{e007f}' | '\u{200b}' | '\u{2060}' | '\u{feff}' => unseen += 1,
            _ => {}
        }
    }
    // A flag is written with six tags at most.
    turns > 0 || unseen > 6
}

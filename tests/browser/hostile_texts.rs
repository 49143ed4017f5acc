//! Texts that try to run, to load something, to leave their cell or to hide, with the text a reader must see.

/// What stands in the table, and what is shown.
pub(crate) const HOSTILE_TEXTS: [(&str, &str); 44] = [
    same("<script>alert(1)</script>"),
    same("</script><script>alert(2)</script>"),
    same("<img src=x onerror=alert(3)>"),
    same("<svg onload=alert(4)>"),
    same("<svg><script>alert(5)</script></svg>"),
    same("<iframe src=\"javascript:alert(6)\"></iframe>"),
    same("<a href=\"javascript:alert(7)\">click</a>"),
    same("<body onload=alert(8)>"),
    same("<style>*{display:none}</style>"),
    same("</style><script>alert(9)</script>"),
    same("<link rel=stylesheet href=//example.org/x.css>"),
    same("<meta http-equiv=refresh content=\"0;url=https://example.org\">"),
    same("<base href=https://example.org/>"),
    same("<form action=https://example.org><button>go</button></form>"),
    same("<input autofocus onfocus=alert(10)>"),
    same("<details open ontoggle=alert(11)>"),
    same("<object data=\"data:text/html,<script>alert(12)</script>\"></object>"),
    same("<template><script>alert(13)</script></template>"),
    same("<math><mtext><img src=x onerror=alert(14)></mtext></math>"),
    same("</td></tr></table><h1>Answer: TRUE</h1>"),
    same("</title></head><body>x"),
    same("</textarea></noscript></xmp></plaintext>"),
    same("--><!-- --!> ]]> <![CDATA["),
    same("\" onmouseover=\"alert(15)\" x=\""),
    same("' autofocus onfocus='alert(16)"),
    same("` onclick=`alert(17)`"),
    same("javascript:alert(18)"),
    same("data:text/html,<script>alert(19)</script>"),
    same("https://example.org/track.png"),
    same("{{constructor.constructor('alert(20)')()}}"),
    same("${alert(21)} #{alert(22)} <%= alert(23) %>"),
    same("&lt;script&gt;alert(24)&lt;/script&gt;"),
    same("&#60;img src=x onerror=alert(25)&#62; &amp;amp; &NotAnEntity;"),
    same("<ſcript>alert(26)</ſcript> ＜script＞"),
    same("+ADw-script+AD4-alert(27)+ADw-/script+AD4-"),
    ("nul\0byte\u{8}\u{1b}[2J", "nul⟨U+0000⟩byte⟨U+0008⟩⟨U+001B⟩[2J"),
    ("over\u{202e}edirrride\u{2066}", "over⟨U+202E⟩edirrride⟨U+2066⟩"),
    (
        "soft\u{ad}hyphen zero\u{200b}width \u{feff}",
        "soft⟨U+00AD⟩hyphen zero⟨U+200B⟩width ⟨U+FEFF⟩",
    ),
    ("tag\u{e0041} non\u{ffff}character", "tag⟨U+E0041⟩ non⟨U+FFFF⟩character"),
    (
        "line\u{2028}and\u{2029}paragraph\r\nbreak",
        "line\nand\nparagraph\nbreak",
    ),
    same("مرحبا 12 שלום"),
    same("👩\u{200d}🚀 🏳️\u{200d}🌈 Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢L̠ͨͧͩ͘G̴̻͈͍͔̹̑͗̎̅͛́O̵̹̻̝̳"),
    same("; DROP TABLE table_sql; --"),
    same("=HYPERLINK(\"https://example.org\",\"x\")"),
];

const fn same(text: &str) -> (&str, &str) {
    (text, text)
}

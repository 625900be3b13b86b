// Above 250 lines because it is one list: every requirement on an HTTP/1.1 server, with its tests.

/** One requirement of the standard, paraphrased, with the tests that prove it on both transports. */
export interface Requirement {
  /** RFC and section. */
  readonly section: string;
  readonly level: "MUST" | "MUST NOT" | "SHOULD" | "MAY";
  readonly text: string;
  /** The server's behaviour. */
  readonly behaviour: string;
  /** Rows of the wire tables: the table's title and a selection of its rows. */
  readonly rows?: readonly (readonly [table: string, names: RegExp])[];
  /** Names of additional tests in `src`, run on each transport. */
  readonly tests?: readonly string[];
  /** Input beyond the requirement that llhttp accepts. */
  readonly lenient?: string;
}

const ANY = /(?:)/;

export const requirements: readonly Requirement[] = [
  {
    section: "RFC 9112 2.2",
    level: "MAY",
    text: "A server may accept a bare LF as a line end, but other parsers may read such a message differently: every line must end with CRLF.",
    behaviour: "400 + close",
    rows: [
      [
        "request line",
        /^(?:LF|CR|bare|CR CR LF|LF CR|a bare LF and)|^the byte "\\[rn]"|^an empty line after|^blanks in the empty line/,
      ],
      ["field lines", /^(?:CRLF, CR and|a lone CR|CR CR LF|"\\[rn]" )/],
      ["Content-Length", /after a bare/],
      ["Transfer-Encoding", /after (?:a bare|CR CR LF)/],
    ],
    tests: ["answers identically wherever a head is split"],
  },
  {
    section: "RFC 9112 2.2",
    level: "SHOULD",
    text: "A server ignores at least one empty line before a request line.",
    behaviour: "served",
    rows: [["request line", /^(?:one|two|50,000) empty lines?|^a (?:bare LF|lone CR) before/]],
  },
  {
    section: "RFC 9112 2.2",
    level: "MUST",
    text: "White space between the request line and the first field is refused, or its lines are dropped.",
    behaviour: "400 + close",
    rows: [
      ["request line", /blank at the start of the first field/],
      ["field lines", /^a space before the first field/],
    ],
  },
  {
    section: "RFC 9112 2.3",
    level: "MUST",
    text: "The version is `HTTP/` digit `.` digit, in capitals; 1.1 and 1.0 are served, any other version gets 505, and any other text is malformed.",
    behaviour: "505 or 400, + close",
    rows: [["request line", /version|protocol|for HTTP$|preface of HTTP\/2/]],
  },
  {
    section: "RFC 9112 3",
    level: "SHOULD",
    text: "A request line is method, target and version with one blank between them; anything else gets 400 and is not repaired.",
    behaviour: "400 + close",
    rows: [
      [
        "request line",
        /^a tab between|^(?:two|three) blanks|^a blank (?:after|before)|^no target|^a blank inside|second request line|^the byte .* in the target|handshake/,
      ],
    ],
    tests: ["${table}: answers each row identically when it arrives byte by byte"],
  },
  {
    section: "RFC 9112 3.1, RFC 9110 9.1",
    level: "SHOULD",
    text: "Methods are case-sensitive tokens; an unknown method gets 501, and a text that is not a token is malformed. CONNECT is not served.",
    behaviour: "501 or 400, + close",
    rows: [["request line", /method|^CONNECT|^the byte .* in the method/]],
  },
  {
    section: "RFC 9112 3",
    level: "MUST",
    text: "A request line that exceeds the limit gets 414.",
    behaviour: "414 + close",
    rows: [["field lines", /^a request line of more/]],
    tests: ["answers 414 from the first excess byte of the request line"],
  },
  {
    section: "RFC 9112 3.2.1",
    level: "MUST",
    text: "Origin-form is a path that begins with a slash; two slashes do not name a host.",
    behaviour: "served, else 400 + close",
    rows: [
      [
        "target and Host",
        /slash|^an asterisk in a path|^the bad target "(?:a|\?x|\\\\a|%2f)"$|^authority-form/,
      ],
    ],
  },
  {
    section: "RFC 9112 3.2.2",
    level: "MUST",
    text: "Absolute-form is accepted from every client; its authority replaces Host everywhere, and Host is still validated.",
    behaviour: "served with the target's authority, else 400 + close",
    rows: [["target and Host", /absolute|"http:|"ws:|"file:|"javascript:|"a:80"$/]],
    tests: ["an absolute-form target replaces the Host everywhere"],
  },
  {
    section: "RFC 9112 3.2.4",
    level: "MUST",
    text: "Asterisk-form is valid with OPTIONS only.",
    behaviour: "served, else 400 + close",
    rows: [["target and Host", /^an asterisk with|^GET \*|"\*\*"|"\*\/"/]],
  },
  {
    section: "RFC 9112 3.2, RFC 3986",
    level: "MUST NOT",
    text: "A target has no fragment, no blank, no control character and no byte beyond ASCII.",
    behaviour: "400 + close",
    rows: [["target and Host", /fragment|beyond ASCII|control character|DEL|#/]],
    tests: ["accepts exactly the legal bytes at ${place}"],
  },
  {
    section: "RFC 9112 3.2",
    level: "MUST",
    text: "HTTP/1.1 without Host, a message with two of them, and a Host that is not `host[:port]` get 400.",
    behaviour: "400 + close",
    rows: [["target and Host", /Host/]],
    tests: ["detects a repeated Host after thousands of fields, and drops no field silently"],
  },
  {
    section: "RFC 9112 5.1",
    level: "MUST",
    text: "White space between a field's name and its colon is refused: proxies and servers have derived different framings from it.",
    behaviour: "400 + close",
    rows: [
      ["field lines", /^a space before the colon|^"(?: |\\t)" after a name/],
      ["Content-Length", /before the colon/],
      ["Transfer-Encoding", /before the colon|colon before|colon on a folded/],
      ["chunked body", /^the trailer "X : y"/],
    ],
  },
  {
    section: "RFC 9110 5.1",
    level: "MUST",
    text: "A field's name is a token; anything else is malformed.",
    behaviour: "400 + close",
    rows: [
      ["field lines", /a name|^an empty name|^no colon|^a line |as a name/],
      ["Content-Length", /name/],
      ["Transfer-Encoding", /name/],
      ["chunked body", /^the trailer "(?:: y|X|X\\u0000: y)"/],
    ],
    tests: ["accepts exactly the legal bytes at ${place}"],
  },
  {
    section: "RFC 9110 5.5",
    level: "MUST",
    text: "CR, LF and NUL in a value are refused, and so are other control characters; blanks around a value are not part of it.",
    behaviour: "400 + close",
    rows: [
      ["field lines", /a value$|^no blank, blanks|^colons, quotes/],
      ["Content-Length", /blanks around|no blank after/],
      ["Transfer-Encoding", /no blank after/],
      ["chunked body", /^the trailer "X: /],
    ],
    tests: ["returns fields as received, and joins repeated ones"],
  },
  {
    section: "RFC 9112 5.2",
    level: "MUST",
    text: "A folded line is refused, in the head and among trailers.",
    behaviour: "400 + close",
    rows: [
      ["field lines", /fold/],
      ["target and Host", /folded/],
      ["Content-Length", /folded/],
      ["Transfer-Encoding", /folded/],
      ["chunked body", /folded|^the trailer " X/],
    ],
  },
  {
    section: "RFC 9110 5.3",
    level: "MUST NOT",
    text: "A singleton field must not be repeated: where two values could be interpreted differently, neither is used.",
    behaviour: "400 + close",
    rows: [["field lines", /^(?:Content-Type|Authorization|Origin|Range|If-Range|Content-Length) twice/]],
  },
  {
    section: "RFC 9110 5.4, RFC 6585 5",
    level: "MUST",
    text: "Fields that exceed the limits in size or number get a 4xx and are never ignored.",
    behaviour: "431 + close",
    rows: [
      ["field lines", /^10[01] fields|^100 fields|^fields of more/],
      ["chunked body", /^trailers of 40/],
    ],
    tests: ["answers 431 from the first excess byte of the fields", "answers 431 to one field too many"],
  },
  {
    section: "RFC 9112 6.1, 6.3",
    level: "MUST",
    text: "A message with Transfer-Encoding and Content-Length may be request smuggling: it is refused completely, in either order and with any values.",
    behaviour: "400 + close",
    rows: [
      ["field lines", /Content-Length (?:before|after)/],
      ["Transfer-Encoding", /length/],
    ],
  },
  {
    section: "RFC 9112 6.1",
    level: "MUST",
    text: "`chunked` occurs once, last, in any case, without parameters; a body with an unknown end is refused.",
    behaviour: "served, else 400 + close",
    rows: [
      [
        "field lines",
        /chunked (?:twice|that)|no chunked|begins like chunked|quoted coding|empty Transfer|empty coding|vertical tab/,
      ],
      [
        "Transfer-Encoding",
        /^the (?:list|coding|form|control)|^chunked(?:,| in two| and)|^a coding after|^an? (?:empty|tab after)/,
      ],
    ],
    lenient: "none: llhttp refuses a tab after `chunked`, which is legal",
  },
  {
    section: "RFC 9112 6.1",
    level: "SHOULD",
    text: "An unsupported coding gets 501.",
    behaviour: "501 + close",
    rows: [
      ["field lines", /unknown coding/],
      ["Transfer-Encoding", /^the codings|^gzip and/],
    ],
  },
  {
    section: "RFC 9112 6.1",
    level: "MUST",
    text: "Transfer-Encoding in HTTP/1.0 is faulty framing.",
    behaviour: "400 + close",
    rows: [
      ["field lines", /chunked in HTTP\/1\.0/],
      ["Transfer-Encoding", /HTTP\/1\.0/],
    ],
  },
  {
    section: "RFC 9112 6.2, 6.3, RFC 9110 8.6",
    level: "MUST",
    text: "Content-Length is digits only, and occurs once: lists, signs, other bases, blanks inside and equal repeats are refused.",
    behaviour: "served, else 400 + close",
    rows: [
      ["field lines", /^the Content-Length|^Content-Length twice/],
      [
        "Content-Length",
        /^(?:one length|leading zeros|zero$|the (?:list|number|text|control|same)|two lengths|a length and zero|zero and a length|a length (?:on|after)|a second)/,
      ],
    ],
  },
  {
    section: "RFC 9110 8.6",
    level: "MUST",
    text: "A length beyond 2^53 - 1, the largest safe integer of JavaScript, does not overflow.",
    behaviour: "413 + close",
    rows: [
      ["field lines", /^a Content-Length beyond/],
      ["Content-Length", /^the length \d/],
    ],
  },
  {
    section: "RFC 9112 6.3",
    level: "MUST",
    text: "A message ends exactly where its framing says, whatever its method and its bytes; the bytes after it are the next message.",
    behaviour: "served, like the next message",
    rows: [
      ["Content-Length", /^a body |one too short/],
      ["Transfer-Encoding", /^chunked, with/],
    ],
    tests: ["returns the body's bytes wherever the message is split, and serves the request after it"],
  },
  {
    section: "RFC 9112 7.1",
    level: "MUST",
    text: "A chunk is a size in hex digits, CRLF, that many bytes, CRLF; sizes that overflow, signs, prefixes and blanks are refused.",
    behaviour: "the reader of the body gets 400, + close",
    rows: [
      [
        "chunked body",
        /^(?:one chunk|no chunk|digits|leading zeros|zeros|data that|the size|(?:LF|CR|CR CR LF) (?:for CRLF|after the data)|a byte too|nothing after|two CRLF|LF as|LF and|LF after the|CR and|CR CR|no empty line)/,
      ],
    ],
    tests: [
      "answers 400 once to a malformed chunk that the app reads, and never runs the bytes after it",
      "answers 400 to a malformed chunk even in the last message of a connection, without waiting",
      "sends only the app's reply after a malformed chunk that is not read",
    ],
  },
  {
    section: "RFC 9112 7.1.1",
    level: "MUST",
    text: "Unknown extensions are ignored, and their size is bounded; no line ends inside one.",
    behaviour: "served, else the reader of the body gets 400, + close",
    rows: [["chunked body", /extension|zeros in/]],
  },
  {
    section: "RFC 9112 7.1.2, RFC 9110 6.5.1",
    level: "MUST NOT",
    text: "Trailers are not merged into the fields; a trailer that would frame the message is refused.",
    behaviour: "served without them, else the reader of the body gets 400, + close",
    rows: [["chunked body", /trailer/]],
    tests: ["does not add trailers to the header fields"],
    lenient:
      "`Connection: close` among trailers is obeyed: everything after the message is refused with 400 + close",
  },
  {
    section: "RFC 9112 9.2, 9.3.2",
    level: "MUST",
    text: "Pipelined requests are answered in order; requests before a malformed one are answered first.",
    behaviour: "in order",
    tests: [
      "answers pipelined requests in order, whenever their replies are ready",
      "answers a deep pipeline completely and in order",
      "answers the requests before a malformed one first, and runs nothing after it",
    ],
  },
  {
    section: "RFC 9112 9.3",
    level: "MUST",
    text: "A connection continues exactly as version and Connection, read as a list, require; `close` takes precedence.",
    behaviour: "keep-alive or close, stated in the reply",
    tests: [
      "persistence: HTTP/1.${minor} with ${name} continues exactly as version and Connection require",
      "keeps a connection or closes it as version and Connection require",
      "sends close with the last permitted request of a connection",
      "closes the connection after a reply with Connection: close",
    ],
    lenient: "`Proxy-Connection` is read like `Connection`",
  },
  {
    section: "RFC 9112 9.3",
    level: "MUST",
    text: "A server reads the complete body of a request, or closes after its reply.",
    behaviour: "discarded up to 64 KiB, else close",
    tests: [
      "discards a small unread body and serves the next request",
      "closes after an unread body that is large or of unknown length, and runs nothing of it",
    ],
  },
  {
    section: "RFC 9112 9.5",
    level: "SHOULD",
    text: "Idle connections, and messages that are incomplete at the timeout, are ended.",
    behaviour: "408 + close within a message, a silent close between messages",
    tests: [
      "answers 408 to a head that is incomplete at the timeout, however slowly it arrives",
      "answers 408 to a body that stops, and to one below 1 KiB/s",
      "closes an idle connection silently, used or not",
      "times out a client that goes silent within a message: 408 for its head and for its body",
    ],
  },
  {
    section: "RFC 9112 9.6",
    level: "MUST NOT",
    text: "After `close`, an error or a last message nothing more is processed.",
    behaviour: "discarded within bounds, never run",
    tests: [
      "runs nothing that arrives after an error, and cuts the connection at the timeout",
      "keeps a connection that the server closes open for a slow reader, but not indefinitely",
    ],
  },
  {
    section: "RFC 9112 9.6",
    level: "SHOULD",
    text: "A server half-closes and keeps reading for a while, so that no reset destroys its last reply.",
    behaviour: "a lingering close, unless the client requested the close and has sent nothing since",
    tests: [
      "the client can read a 413 completely while it still sends",
      "a client that sends more after requesting the close can still read its reply",
    ],
  },
  {
    section: "RFC 9112 8, 6.3",
    level: "MUST",
    text: "A truncated message is never treated as complete, and a failed reply never looks complete.",
    behaviour: "the reader of the body fails; the connection is cut",
    tests: [
      "fails the reader of a body after a half-close within the body",
      "sends no reply to a client that half-closes within a head, and serves nothing",
      "cuts the connection when a stream fails, so that no client treats it as complete, and logs it once",
    ],
  },
  {
    section: "RFC 9110 10.1.1",
    level: "MUST",
    text: "An expectation other than `100-continue` gets 417; HTTP/1.0 has none.",
    behaviour: "417 + close, ignored in HTTP/1.0",
    rows: [
      ["Expect", ANY],
      ["field lines", /expectation/],
    ],
  },
  {
    section: "RFC 9110 10.1.1",
    level: "MUST",
    text: "100 is sent once, when the body is read; a final reply instead of it ends the connection.",
    behaviour: "100, or the final reply + close",
    tests: [
      "sends 100 Continue once, when the body is first read",
      "sends the final reply instead of 100 when the body is not read, and closes",
      "sends no 100 for an empty body, in HTTP/1.0, and after the final reply",
    ],
  },
  {
    section: "RFC 9110 6.4.1, RFC 9112 6.3",
    level: "MUST NOT",
    text: "HEAD, 204 and 304 have no body, and 204 has no length.",
    behaviour: "no body; HEAD has the fields of GET",
    tests: [
      "answers HEAD with GET's fields and no body, and cancels a stream",
      "sends no body and no length with 204 and 304, and an empty body with 205",
    ],
  },
  {
    section: "RFC 9112 6.1, 6.2",
    level: "MUST",
    text: "Every reply has exactly one correct framing: its length in bytes, or chunks for HTTP/1.1, or the close for HTTP/1.0.",
    behaviour: "one framing, written by the server",
    tests: [
      "every reply, parsed again by llhttp, is what the handler returned, and the connection continues",
      "streams with chunks in HTTP/1.1 and until the close in HTTP/1.0",
      "drops hop-by-hop fields of a reply, and keeps repeated ones",
    ],
  },
  {
    section: "RFC 9112 11.1, RFC 9110 5.5",
    level: "MUST NOT",
    text: "No value that an app puts into a reply splits it: no CR, LF or NUL in names, values, cookies or locations.",
    behaviour: "a plain 500 without details",
    tests: ["%s cannot end a line or a head", "answers a plain 500 and closes when a reply cannot be sent"],
  },
  {
    section: "RFC 9112 11.2",
    level: "MUST",
    text: "Every parser on the path agrees on the end of a message.",
    behaviour: "both transports and an independent parser agree on random traffic",
    tests: ["both transports and an independent parser of the standard agree on random traffic"],
  },
  {
    section: "RFC 9110 7.8",
    level: "MAY",
    text: "An upgrade that the app does not accept is answered like an ordinary request.",
    behaviour: "the ordinary reply + close",
    tests: ["answers an upgrade that the app ignores like an ordinary request, and closes"],
  },
];

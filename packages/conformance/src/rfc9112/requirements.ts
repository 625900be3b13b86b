// Above 250 lines because it is one list: every requirement on a server's HTTP/1.1 side with what proves it.

/** One requirement of the standard in our words, and what proves it on both transports. */
export interface Requirement {
  /** RFC and section. */
  readonly section: string;
  readonly level: "MUST" | "MUST NOT" | "SHOULD" | "MAY";
  readonly text: string;
  /** What the server does. */
  readonly answer: string;
  /** Rows of the wire tables: the table's title and which of its rows. */
  readonly rows?: readonly (readonly [table: string, names: RegExp])[];
  /** Names of further tests of this folder's transports. */
  readonly tests?: readonly string[];
  /** Where llhttp takes more, in words. */
  readonly lenient?: string;
}

const ANY = /(?:)/;

export const requirements: readonly Requirement[] = [
  {
    section: "RFC 9112 2.2",
    level: "MAY",
    text: "A server may take a bare LF for a line end, but a message that others may read otherwise is not worth it: every line ends with CRLF.",
    answer: "400 + close",
    rows: [
      [
        "request line",
        /^(?:LF|CR|bare|CR CR LF|LF CR|a bare LF and)|^the byte "\\[rn]"|^an empty line behind|^blanks in the empty line/,
      ],
      ["field lines", /^(?:CRLF, CR and|a lone CR|CR CR LF|"\\[rn]" )/],
      ["Content-Length", /behind a bare/],
      ["Transfer-Encoding", /behind (?:a bare|CR CR LF)/],
    ],
    tests: ["answers alike wherever a head is cut in two"],
  },
  {
    section: "RFC 9112 2.2",
    level: "SHOULD",
    text: "A server ignores at least one empty line in front of a request line.",
    answer: "served",
    rows: [["request line", /^one empty line/]],
    lenient: "any number of CR and LF in front of a request line",
  },
  {
    section: "RFC 9112 2.2",
    level: "MUST",
    text: "White space between the request line and the first field is refused, or its lines are dropped.",
    answer: "400 + close",
    rows: [
      ["request line", /blank at the start of the first field/],
      ["field lines", /^a space before the first field/],
    ],
  },
  {
    section: "RFC 9112 2.3",
    level: "MUST",
    text: "The version is `HTTP/` digit `.` digit, in capitals; 1.1 and 1.0 are served, any other is 505, and what is none is malformed.",
    answer: "505 or 400, + close",
    rows: [["request line", /version|preface of HTTP\/2/]],
    lenient: "`RTSP/1.1` and `ICE/1.1`, read as `HTTP/1.1`",
  },
  {
    section: "RFC 9112 3",
    level: "SHOULD",
    text: "A request line is method, target and version with one blank between them; anything else is answered with 400 and not repaired.",
    answer: "400 + close",
    rows: [
      [
        "request line",
        /^a tab between|^a blank (?:after|before)|^no target|^a blank inside|second request line|^the byte .* in the target|handshake/,
      ],
    ],
    tests: ["${table}: answers each row alike when it comes byte by byte"],
    lenient: "more than one blank between the parts of a request line",
  },
  {
    section: "RFC 9112 3.1, RFC 9110 9.1",
    level: "SHOULD",
    text: "Methods are tokens, told apart by case; one that is not known is 501, what is no token is malformed. CONNECT is not served.",
    answer: "501 or 400, + close",
    rows: [["request line", /method|^CONNECT|^the byte .* in the method/]],
  },
  {
    section: "RFC 9112 3",
    level: "MUST",
    text: "A request line that is longer than the server takes is answered with 414.",
    answer: "414 + close",
    rows: [["field lines", /^a request line of more/]],
    tests: ["answers 414 from the first byte of the request line that is too many"],
  },
  {
    section: "RFC 9112 3.2.1",
    level: "MUST",
    text: "Origin-form is a path that begins with a slash; two slashes name no host.",
    answer: "served, else 400 + close",
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
    text: "Absolute-form is taken from every client; its authority replaces Host everywhere, and Host is judged all the same.",
    answer: "served with the target's authority, else 400 + close",
    rows: [["target and Host", /absolute|"http:|"ws:|"file:|"javascript:|"a:80"$/]],
    tests: ["lets an absolute-form target replace the Host everywhere"],
  },
  {
    section: "RFC 9112 3.2.4",
    level: "MUST",
    text: "Asterisk-form goes with OPTIONS only.",
    answer: "served, else 400 + close",
    rows: [["target and Host", /^an asterisk with|^GET \*|"\*\*"|"\*\/"/]],
  },
  {
    section: "RFC 9112 3.2, RFC 3986",
    level: "MUST NOT",
    text: "A target has no fragment, no blank, no control character and no byte beyond ASCII.",
    answer: "400 + close",
    rows: [["target and Host", /fragment|beyond ASCII|control character|DEL|#/]],
    tests: ["takes exactly the legal bytes at ${place}"],
  },
  {
    section: "RFC 9112 3.2",
    level: "MUST",
    text: "HTTP/1.1 without Host, a message with two of them, and a Host that is no `host[:port]` are answered with 400.",
    answer: "400 + close",
    rows: [["target and Host", /Host/]],
    tests: ["sees a repeated Host behind thousands of fields, and drops none silently"],
  },
  {
    section: "RFC 9112 5.1",
    level: "MUST",
    text: "White space between a field's name and its colon is refused: it has led proxies and servers to different framings.",
    answer: "400 + close",
    rows: [
      ["field lines", /^a space before the colon|^"(?: |\\t)" behind a name/],
      ["Content-Length", /before the colon/],
      ["Transfer-Encoding", /before the colon|colon before|colon on a folded/],
      ["chunked body", /^the trailer "X : y"/],
    ],
  },
  {
    section: "RFC 9110 5.1",
    level: "MUST",
    text: "A field's name is a token; everything else in its place is malformed.",
    answer: "400 + close",
    rows: [
      ["field lines", /a name|^an empty name|^no colon|^a line |as a name/],
      ["Content-Length", /name/],
      ["Transfer-Encoding", /name/],
      ["chunked body", /^the trailer "(?:: y|X|X\\u0000: y)"/],
    ],
    tests: ["takes exactly the legal bytes at ${place}"],
  },
  {
    section: "RFC 9110 5.5",
    level: "MUST",
    text: "CR, LF and NUL in a value are refused, and so are the other control characters; blanks around a value are no part of it.",
    answer: "400 + close",
    rows: [
      ["field lines", /a value$|^no blank, blanks|^colons, quotes/],
      ["Content-Length", /blanks around|no blank behind/],
      ["Transfer-Encoding", /no blank behind/],
      ["chunked body", /^the trailer "X: /],
    ],
    tests: ["gives fields as received, and joins what is repeated"],
  },
  {
    section: "RFC 9112 5.2",
    level: "MUST",
    text: "A folded line is refused, in the head and among trailers.",
    answer: "400 + close",
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
    text: "A field that is no list is not sent twice: where two values could be read differently, neither is used.",
    answer: "400 + close",
    rows: [["field lines", /^(?:Content-Type|Authorization|Origin|Range|If-Range|Content-Length) twice/]],
  },
  {
    section: "RFC 9110 5.4, RFC 6585 5",
    level: "MUST",
    text: "Fields that are larger or more than the server takes are answered with a 4xx, never ignored.",
    answer: "431 + close",
    rows: [
      ["field lines", /^10[01] fields|^100 fields|^fields of more/],
      ["chunked body", /^trailers of 40/],
    ],
    tests: [
      "answers 431 from the first byte of the fields that is too many",
      "answers 431 to one field too many",
    ],
  },
  {
    section: "RFC 9112 6.1, 6.3",
    level: "MUST",
    text: "A message with Transfer-Encoding and Content-Length is an attempt at smuggling: it is refused whole, in either order, whatever the values.",
    answer: "400 + close",
    rows: [
      ["field lines", /Content-Length (?:before|behind)/],
      ["Transfer-Encoding", /length/],
    ],
  },
  {
    section: "RFC 9112 6.1",
    level: "MUST",
    text: "`chunked` comes once, last, in any case, without parameters; a body whose end cannot be known is refused.",
    answer: "served, else 400 + close",
    rows: [
      [
        "field lines",
        /chunked (?:twice|that)|no chunked|begins like chunked|quoted coding|empty Transfer|empty coding|vertical tab/,
      ],
      [
        "Transfer-Encoding",
        /^the (?:list|coding|form|control)|^chunked(?:,| in two| and)|^a coding behind|^an? (?:empty|tab behind)/,
      ],
    ],
    lenient: "none: llhttp refuses a tab behind `chunked`, which is legal",
  },
  {
    section: "RFC 9112 6.1",
    level: "SHOULD",
    text: "A coding that is not understood is answered with 501.",
    answer: "501 + close",
    rows: [
      ["field lines", /unknown coding/],
      ["Transfer-Encoding", /^the codings|^gzip and/],
    ],
  },
  {
    section: "RFC 9112 6.1",
    level: "MUST",
    text: "Transfer-Encoding in HTTP/1.0 is faulty framing.",
    answer: "400 + close",
    rows: [
      ["field lines", /chunked in HTTP\/1\.0/],
      ["Transfer-Encoding", /HTTP\/1\.0/],
    ],
  },
  {
    section: "RFC 9112 6.2, 6.3, RFC 9110 8.6",
    level: "MUST",
    text: "Content-Length is digits and nothing else, once: lists, signs, other bases, blanks inside and equal repeats are refused.",
    answer: "served, else 400 + close",
    rows: [
      ["field lines", /^the Content-Length|^Content-Length twice/],
      [
        "Content-Length",
        /^(?:one length|zeros in front|zero$|the (?:list|number|text|control|same)|two lengths|a length and zero|zero and a length|a length (?:on|behind)|a second)/,
      ],
    ],
  },
  {
    section: "RFC 9110 8.6",
    level: "MUST",
    text: "A length beyond what can be counted does not overflow.",
    answer: "413 + close",
    rows: [
      ["field lines", /^a Content-Length beyond/],
      ["Content-Length", /^the length \d/],
    ],
  },
  {
    section: "RFC 9112 6.3",
    level: "MUST",
    text: "A message ends exactly where its framing says, whatever its method and its bytes; what is behind is the next message.",
    answer: "served, and the next one too",
    rows: [
      ["Content-Length", /^a body |one too short/],
      ["Transfer-Encoding", /^chunked, with/],
    ],
    tests: ["gives the body's bytes wherever the message is cut, and serves the request behind it"],
  },
  {
    section: "RFC 9112 7.1",
    level: "MUST",
    text: "A chunk is a size in hex digits, CRLF, so many bytes, CRLF; sizes that overflow, signs, prefixes and blanks are refused.",
    answer: "the reader of the body gets 400, + close",
    rows: [
      [
        "chunked body",
        /^(?:one chunk|no chunk|digits|zeros|data that|the size|(?:LF|CR|CR CR LF) (?:for CRLF|behind the data)|a byte too|nothing behind|two CRLF|LF as|LF and|LF behind the|CR and|CR CR|no empty line)/,
      ],
    ],
    tests: [
      "answers 400 once to a malformed chunk that the app reads, and never runs what is behind it",
      "answers 400 to a malformed chunk in the last message of a connection too, without waiting for anything",
      "gives one answer, the app's, to a malformed chunk that nobody reads",
    ],
  },
  {
    section: "RFC 9112 7.1.1",
    level: "MUST",
    text: "Extensions that are not known are ignored, and their number is bounded; no line ends inside one.",
    answer: "served, else the reader of the body gets 400, + close",
    rows: [["chunked body", /extension/]],
    lenient: "extensions without a name or a value, and a value that is half a token and half quoted",
  },
  {
    section: "RFC 9112 7.1.2, RFC 9110 6.5.1",
    level: "MUST NOT",
    text: "Trailers are not merged into the fields; one that would frame the message is refused.",
    answer: "served without them, else the reader of the body gets 400, + close",
    rows: [["chunked body", /trailer/]],
    tests: ["keeps trailers apart from the fields"],
    lenient:
      "`Connection: close` among trailers is heard: what stands behind the message is refused with 400 + close",
  },
  {
    section: "RFC 9112 9.2, 9.3.2",
    level: "MUST",
    text: "Pipelined requests are answered in their order; what is in front of a bad one is answered first.",
    answer: "in order",
    tests: [
      "answers pipelined requests in order, whenever their replies are ready",
      "answers a deep pipeline whole and in order",
      "answers what is in front of a bad request first, and runs nothing behind it",
    ],
  },
  {
    section: "RFC 9112 9.3",
    level: "MUST",
    text: "A connection goes on exactly where version and Connection, read as a list, say so; `close` wins.",
    answer: "keep-alive or close, and so it says",
    tests: [
      "persistence: HTTP/1.${minor} with ${name} goes on exactly where version and Connection say so",
      "keeps a connection or closes it as version and Connection say",
      "says close on the last request that a connection may carry",
      "closes when a reply says so",
    ],
    lenient: "`Proxy-Connection` is read like `Connection`",
  },
  {
    section: "RFC 9112 9.3",
    level: "MUST",
    text: "A server reads the whole body of a request, or closes behind its answer.",
    answer: "read away up to 64 KiB, else close",
    tests: [
      "reads a small unread body away and serves the next request",
      "closes behind an unread body that is large or of unknown length, and runs nothing of it",
    ],
  },
  {
    section: "RFC 9112 9.5",
    level: "SHOULD",
    text: "Connections that stay idle, and messages that do not come whole in time, are ended.",
    answer: "408 + close within a message, a silent close between messages",
    tests: [
      "answers 408 to a head that is not whole in time, however it trickles",
      "answers 408 to a body that stops, and to one below 1 KiB/s",
      "closes an idle connection silently, used or not",
      "ends a client that falls silent within a message: 408 for its head and for its body",
    ],
    lenient:
      "a head that begins in the read of the request before it counts as idle until more of it comes (node:http)",
  },
  {
    section: "RFC 9112 9.6",
    level: "MUST NOT",
    text: "Behind `close`, an error or a last message nothing is processed any more.",
    answer: "read away within bounds, never run",
    tests: [
      "runs nothing that comes later behind an error, and closes when too much comes",
      "keeps a closing connection open for a slow reader, but not for ever",
    ],
  },
  {
    section: "RFC 9112 9.6",
    level: "SHOULD",
    text: "A server half-closes and reads on for a while, so that no reset destroys its last answer.",
    answer: "a lingering close",
    tests: ["lets the client read a 413 whole, though it still sends"],
  },
  {
    section: "RFC 9112 8, 6.3",
    level: "MUST",
    text: "A message that was cut off is never taken for whole, and a broken answer never looks whole.",
    answer: "the reader of the body fails; the connection is cut",
    tests: [
      "fails the reader of a body whose client ends its side within it",
      "says nothing to a client that ends its side within a head, and serves nothing",
      "cuts the connection when a stream breaks, so that no client takes it for whole, and logs it once",
    ],
  },
  {
    section: "RFC 9110 10.1.1",
    level: "MUST",
    text: "An expectation other than `100-continue` is 417; HTTP/1.0 has none.",
    answer: "417 + close, ignored in HTTP/1.0",
    rows: [
      ["Expect", ANY],
      ["field lines", /expectation/],
    ],
  },
  {
    section: "RFC 9110 10.1.1",
    level: "MUST",
    text: "100 is said once, when the body is wanted; a final answer in its place ends the connection.",
    answer: "100, or the final answer + close",
    tests: [
      "says 100 Continue once, when the body is first read",
      "gives the final answer instead of 100 when nobody reads, and closes",
      "says no 100 for an empty body, in HTTP/1.0, and behind the final answer",
    ],
  },
  {
    section: "RFC 9110 6.4.1, RFC 9112 6.3",
    level: "MUST NOT",
    text: "HEAD, 204 and 304 have no body, and 204 has no length.",
    answer: "no body; HEAD has the fields of GET",
    tests: [
      "answers HEAD with GET's fields and no body, and lets a stream go",
      "sends no body and no length with 204 and 304, and an empty one with 205",
    ],
  },
  {
    section: "RFC 9112 6.1, 6.2",
    level: "MUST",
    text: "Every answer is framed once and rightly: its length in bytes, or chunks for HTTP/1.1, or the close for HTTP/1.0.",
    answer: "one framing, the server's own",
    tests: [
      "every answer, read again by llhttp, is what the handler said, and the connection goes on",
      "streams with chunks in HTTP/1.1 and up to the close in HTTP/1.0",
      "drops fields of the connection that a reply brings, and keeps repeated ones",
    ],
  },
  {
    section: "RFC 9112 11.1, RFC 9110 5.5",
    level: "MUST NOT",
    text: "Nothing that an app puts into a reply splits it: no CR, LF or NUL in names, values, cookies or locations.",
    answer: "a plain 500 that tells nothing",
    tests: [
      "lets nothing in %s end a line or a head",
      "answers a plain 500 and closes when a reply cannot be sent",
    ],
  },
  {
    section: "RFC 9112 11.2",
    level: "MUST",
    text: "What one parser takes for the end of a message, every parser on the way takes for it.",
    answer: "both transports and an independent reader agree on random traffic",
    tests: ["both transports and the letter of the standard make the same of the same random traffic"],
  },
  {
    section: "RFC 9110 7.8",
    level: "MAY",
    text: "An upgrade that nobody takes is answered like an ordinary request.",
    answer: "the ordinary answer + close",
    tests: ["answers an upgrade that nobody takes as an ordinary request, and closes"],
  },
];

const phrases = {
  100: "Continue",
  101: "Switching Protocols",
  103: "Early Hints",
  200: "OK",
  201: "Created",
  202: "Accepted",
  203: "Non-Authoritative Information",
  204: "No Content",
  205: "Reset Content",
  206: "Partial Content",
  207: "Multi-Status",
  300: "Multiple Choices",
  301: "Moved Permanently",
  302: "Found",
  303: "See Other",
  304: "Not Modified",
  307: "Temporary Redirect",
  308: "Permanent Redirect",
  400: "Bad Request",
  401: "Unauthorized",
  402: "Payment Required",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  407: "Proxy Authentication Required",
  408: "Request Timeout",
  409: "Conflict",
  410: "Gone",
  411: "Length Required",
  412: "Precondition Failed",
  413: "Payload Too Large",
  414: "URI Too Long",
  415: "Unsupported Media Type",
  416: "Range Not Satisfiable",
  417: "Expectation Failed",
  418: "I'm a Teapot",
  421: "Misdirected Request",
  422: "Validation Failed",
  423: "Locked",
  424: "Failed Dependency",
  425: "Too Early",
  426: "Upgrade Required",
  428: "Precondition Required",
  429: "Too Many Requests",
  431: "Request Header Fields Too Large",
  451: "Unavailable For Legal Reasons",
  500: "Internal Server Error",
  501: "Not Implemented",
  502: "Bad Gateway",
  503: "Service Unavailable",
  504: "Gateway Timeout",
  505: "HTTP Version Not Supported",
  507: "Insufficient Storage",
  508: "Loop Detected",
  511: "Network Authentication Required",
} as const;

/** The statuses with a reason phrase. */
type Status = keyof typeof phrases;

/** The statuses of errors with a reason phrase, 400 to 511. */
export type ErrorStatus = {
  [Code in Status]: `${Code}` extends `4${string}` | `5${string}` ? Code : never;
}[Status];

const byStatus: Readonly<Record<number, string>> = phrases;

/** Whether a value is the status of an error with a reason phrase. */
export const isErrorStatus = (value: unknown): value is ErrorStatus =>
  typeof value === "number" && value >= 400 && Object.hasOwn(phrases, value);

/** Returns the reason phrase of a status code; for an unknown code the phrase of its class, such as `Bad Request` for 499. */
export const reasonPhrase = (status: number): string =>
  byStatus[status] ?? byStatus[Math.floor(status / 100) * 100] ?? "Unknown";

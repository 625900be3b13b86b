import type { Command } from "../frame/command.ts";

export const requestCommand: Command = {
  name: "request",
  summary: "send one request to an app without a server, and print the reply",
  description: [
    "The app starts in this process, replies through app.fetch and stops. Its startup handlers run, and its database and brokers are used.",
  ],
  arguments: [
    {
      name: "method",
      summary: "GET, POST and so on",
      required: true,
      choices: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "QUERY"],
    },
    { name: "path", summary: "path with its query: /books?year=1999", required: true },
  ],
  options: [
    { name: "app", kind: "text", value: "module", summary: "module of the app", isFile: true },
    {
      name: "data",
      short: "d",
      kind: "text",
      summary: "body; @file reads a file, @- standard input; valid JSON is sent as JSON",
    },
    { name: "header", short: "H", kind: "texts", value: "name: value", summary: "a header field" },
    { name: "include", short: "i", kind: "flag", summary: "also print status and header fields" },
    { name: "fail", kind: "flag", summary: "exit with 1 when the status is 400 or more" },
    {
      name: "timeout",
      kind: "number",
      value: "seconds",
      summary: "seconds to wait for the reply and its body, 30 by default",
      min: 0.001,
      max: 86_400,
    },
  ],
  examples: [
    "request GET /books/1 -i",
    `request POST /books -d '{"title":"Dune"}' -H 'authorization: Bearer TOKEN'`,
    "request PUT /books/1 --data @book.json --app src/app.ts",
  ],
  fails: "the app does not reply, or the status is 400 or more with --fail",
  load: async () => (await import("./send-request.ts")).sendRequest,
};

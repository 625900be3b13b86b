import type { Command } from "../frame/command.ts";

export const explainCommand: Command = {
  name: "explain",
  summary: "explain an error code, or each step of a request",
  description: [
    "explain CODE shows the cause, the remedy and passages about the code in the installed documents; without a code it lists the codes of every installed package and of the project. Nothing is fetched.",
    "explain GET /books/1 starts the app in this process, as in development, sends the request and shows for each step whether it ran or was skipped, why, and how long it took.",
    "A step's time excludes the steps inside it. Values of the request's header fields, cookies, query and body are hidden in reasons.",
  ],
  arguments: [
    {
      name: "subject",
      summary: "code of an error or a warning, such as CORE_PORT_IN_USE, or a method, such as GET",
    },
    { name: "path", summary: "path of the request, such as /books/1" },
  ],
  options: [
    { name: "app", kind: "text", value: "module", summary: "module of the app", isFile: true },
    {
      name: "data",
      short: "d",
      kind: "text",
      summary: "body of the request; @file reads a file, @- standard input",
    },
    {
      name: "header",
      short: "H",
      kind: "texts",
      value: "name: value",
      summary: "a header field of the request",
    },
    {
      name: "times",
      kind: "number",
      value: "count",
      summary: "how many times to send the request, 1 by default; the last one is explained",
      min: 1,
      max: 1000,
    },
    {
      name: "timeout",
      kind: "number",
      value: "seconds",
      summary: "seconds to wait for a reply and its body, 30 by default",
      min: 0.001,
      max: 86_400,
    },
  ],
  examples: [
    "explain CORE_PORT_IN_USE",
    "explain",
    "explain GET /books/1 --times 2",
    'explain POST /books -d \'{"title":"Dune"}\'',
  ],
  fails: "neither an installed package nor the project has the code, or the app does not reply",
  load: async () => (await import("./explain.ts")).explain,
};

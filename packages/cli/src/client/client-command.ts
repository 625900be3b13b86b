import type { Command } from "../frame/command.ts";

export const clientCommand: Command = {
  name: "client",
  summary: "write the typed client of an app's API, or check that it is up to date",
  description: [
    "The document is a file, or comes from the app's OpenAPI route, without a server. @framework/client writes the client and must be installed in the project.",
  ],
  arguments: [
    {
      name: "output",
      summary: "file to write, such as src/api-client.ts; - for standard output",
      required: true,
      isFile: true,
    },
  ],
  options: [
    { name: "app", kind: "text", value: "module", summary: "module of the app", isFile: true },
    { name: "path", kind: "text", summary: "path of the document, /openapi.json by default" },
    {
      name: "document",
      kind: "text",
      value: "file",
      summary: "file of the document, in place of the app's",
      isFile: true,
    },
    {
      name: "check",
      kind: "flag",
      summary: "write nothing; fail if the file is out of date",
    },
  ],
  examples: [
    "client src/api-client.ts",
    "client src/api-client.ts --check",
    "client client.ts --document openapi.json",
  ],
  fails: "there is no document, or with --check the file is missing or differs",
  load: async () => (await import("./write-client.ts")).writeClient,
};

import { Response } from "./response.ts";

const ours = new Response("x");

// The web's shape: code that accepts a web response accepts ours.
const web: Pick<
  globalThis.Response,
  "status" | "ok" | "body" | "json" | "text" | "bytes" | "arrayBuffer" | "url"
> = ours;
void web;
new globalThis.Headers([...ours.headers]);

ours.status = 201;
// @ts-expect-error contentLength is read-only: the body determines it
ours.contentLength = 5;
// @ts-expect-error an object is not a body; Response.json sends it
new Response({ a: 1 });
// @ts-expect-error not a SameSite value
ours.setCookie("a", "1", { sameSite: "loose" });
// @ts-expect-error a misspelt option
Response.redirect("/a", { permanet: true });
// @ts-expect-error file is asynchronous, because it opens the file
const file: Response = Response.file("a.txt");
void file;
const handler = (): Promise<Response> => Response.sendFile("a.txt");
void handler;

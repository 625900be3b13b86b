import { Agent, request } from "node:http";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { Response } from "@framework/core";
import type { Serve } from "@framework/core/testing";
import { bothTransports } from "../harness/both-transports.ts";
import { parseReplies } from "../harness/raw-client.ts";
import { bytesOf, type ReplyBody, replyCase, toReply, type ReplyCase } from "./response-replies.ts";
import { eventually, type TestServer, turn, withServer } from "../harness/test-server.ts";

/** A reply as parsed by llhttp in the role of a client. */
interface Parsed {
  readonly status: number | undefined;
  readonly reason: string | undefined;
  /** Names and values of fields, alternating. */
  readonly fields: readonly string[];
  readonly body: string;
  readonly isComplete: boolean;
}

/** Sends a request with node:http's client, whose parser is llhttp in strict response mode. */
const send = (agent: Agent, port: number, method: string): Promise<Parsed> =>
  new Promise((resolve, reject) => {
    const outgoing = request(
      { agent, port, host: "127.0.0.1", method, insecureHTTPParser: false },
      (message) => {
        let body = "";
        const finish = (isComplete: boolean): void =>
          resolve({
            status: message.statusCode,
            reason: message.statusMessage,
            fields: message.rawHeaders,
            body,
            isComplete,
          });
        message.on("data", (bytes: Buffer) => (body += bytes.toString("latin1")));
        message.on("end", () => finish(message.complete));
        message.on("error", () => finish(false));
      },
    );
    outgoing.on("error", reject);
    outgoing.end();
  });

const pairs = (list: readonly string[]): [string, string][] =>
  list.flatMap((name, at): [string, string][] => (at % 2 === 0 ? [[name, list[at + 1] ?? ""]] : []));

/** Fields that describe the connection or the message's framing: the transport writes its own. */
const connectionFields: ReadonlySet<string> = new Set(
  "connection content-length date keep-alive proxy-connection te trailer transfer-encoding upgrade".split(
    " ",
  ),
);
const isConnectionField = (name: string): boolean => connectionFields.has(name.toLowerCase());

const isBroken = ({ breaksAfter }: ReplyBody): boolean => breaksAfter !== undefined;
/** Whether the client has received the declared length before the source fails, so that it cannot detect the failure. */
const failsAfterLength = ({ kind, chunks, breaksAfter = 0 }: ReplyBody): boolean =>
  kind === "stream of known length" && chunks.slice(breaksAfter).join("") === "";
const hasNoBody = ({ method, status }: ReplyCase): boolean =>
  method === "HEAD" || status === 204 || status === 205 || status === 304;

const expectFields = (given: ReplyCase, { fields }: Parsed): void => {
  const expected = pairs(given.fields).filter(([name]) => !isConnectionField(name));
  const sent = pairs(fields);
  const plain = ([name, text]: [string, string]): string[] => [name, text.replaceAll(/^[ \t]+|[ \t]+$/g, "")];
  expect(sent.filter(([name]) => !isConnectionField(name)).map(plain)).toEqual(expected.map(plain));
  const own = sent.filter(([name]) => isConnectionField(name)).map(([name]) => name.toLowerCase());
  const { kind } = given.body;
  const unsized = kind === "stream" && ![204, 205, 304].includes(given.status);
  const framing = unsized
    ? ["transfer-encoding"]
    : [204, 304].includes(given.status)
      ? []
      : ["content-length"];
  const protocols =
    pairs(given.fields)
      .find(([name]) => /^upgrade$/i.test(name))?.[1]
      .trim() ?? "";
  const upgrade = given.status === 426 && protocols !== "" ? ["upgrade"] : []; // RFC 9110 15.5.22
  expect(own.toSorted()).toEqual([...framing, ...upgrade, "connection", "date"].toSorted());
  if (framing[0] === "content-length") {
    const length = sent.find(([name]) => name.toLowerCase() === "content-length")?.[1];
    expect(length).toBe(given.status === 205 ? "0" : lengthOf(given));
  }
};

/** Returns the length that a client sees: a reply to HEAD without a body may state it (RFC 9110 8.6). */
const lengthOf = ({ method, fields, body }: ReplyCase): string => {
  const declared = pairs(fields).find(([name]) => /^content-length$/i.test(name))?.[1] ?? "";
  if (method === "HEAD" && body.kind === "none" && /^\d+$/.test(declared)) return String(Number(declared));
  return String(bytesOf(body).length);
};

const expectBroken = async ({ body }: ReplyCase, parsed: Parsed | null, logged: string[]): Promise<void> => {
  await eventually(() => logged.length > 0, "the failure is logged");
  expect(logged).toEqual(["error: a streamed reply failed"]);
  const isTakenAsComplete = failsAfterLength(body) ? false : (parsed?.isComplete ?? false);
  expect(isTakenAsComplete).toBe(false);
};

describe.each(bothTransports)("%s", (_, make) => {
  test("every reply, parsed again by llhttp, is what the handler returned, and the connection continues", () => {
    let current: ReplyCase | null = null;
    const serve: Serve = async () => {
      if (current === null) return Response.text("next");
      const given = current;
      current = null;
      if (given.isAsync) await turn(1);
      return toReply(given);
    };
    const serveCurrent: Serve = (source) => {
      if (current === null || current.isAsync) return serve(source);
      const given = current;
      current = null;
      return toReply(given);
    };
    return withServer(make, { serve: serveCurrent }, async ({ port, logged }) => {
      let agent = new Agent();
      const property = fc.asyncProperty(replyCase, async (given) => {
        agent.destroy();
        agent = new Agent({ keepAlive: true, maxSockets: 1 });
        current = given;
        logged.length = 0;
        const parsed = await send(agent, port, given.method).catch(() => null);
        if (isBroken(given.body) && !hasNoBody(given)) return expectBroken(given, parsed, logged);
        expect([parsed?.status, parsed?.isComplete]).toEqual([given.status, true]);
        if (parsed !== null) expectFields(given, parsed);
        expect(
          parsed?.body === (hasNoBody(given) ? "" : Buffer.from(bytesOf(given.body)).toString("latin1")),
        ).toBe(true);
        expect((await send(agent, port, "GET")).body).toBe("next");
        expect(logged).toEqual([]);
      });
      await fc.assert(property, { numRuns: 400, interruptAfterTimeLimit: 3000 });
      agent.destroy();
    });
  });

  const injections = [
    "\r\nInjected: 1",
    "\nInjected: 1",
    "\rInjected: 1",
    "\r\n\r\nHTTP/1.1 200 OK\r\nInjected: 1",
    "\0Injected: 1",
    "\x85Injected: 1",
    "\u2028Injected: 1",
    "\u560d\u560aInjected: 1",
    "%0d%0aInjected: 1",
  ];
  const places: Record<string, (text: string) => Response> = {
    "a field's name": (text) => Response.text("x").setHeader(`X${text}`, "y"),
    "a field's value": (text) => Response.text("x").setHeader("X", `y${text}`),
    "an added value": (text) => Response.text("x").appendHeader("X", `y${text}`),
    "the options of a reply": (text) => Response.text("x", { headers: { x: `y${text}` } }),
    "a cookie's name": (text) => Response.text("x").setCookie(`a${text}`, "b"),
    "a cookie's value": (text) => Response.text("x").setCookie("a", `b${text}`),
    "a cookie's path": (text) => Response.text("x").setCookie("a", "b", { path: `/${text}` }),
    "a cookie's domain": (text) => Response.text("x").setCookie("a", "b", { domain: `a.example${text}` }),
    "Location of a redirect": (text) => Response.redirect(`/x${text}`),
    "Location of a created resource": (text) => Response.created({}, `/x${text}`),
    "the title of a problem, which is not the reason phrase": (text) =>
      Response.problem({ status: 400, title: `t${text}` }),
  };
  test.each(Object.keys(places))("%s cannot end a line or a head", (place) => {
    let ending = "";
    const serve: Serve = () => (places[place] as (text: string) => Response)(ending);
    return withServer(make, { serve }, async (server) => {
      for (ending of injections) await expectOneReply(server, `${place} ${JSON.stringify(ending)}`);
    });
  });
});

const expectOneReply = async (server: TestServer, place: string): Promise<void> => {
  const received = await server.exchange("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
  const replies = parseReplies(received, true);
  expect([place, replies.length, replies[0]?.complete]).toEqual([place, 1, true]);
  expect(received.slice(0, received.indexOf("\r\n\r\n"))).not.toMatch(/[\r\n\0]Injected/);
  expect([...(replies[0]?.fields.keys() ?? [])]).not.toContain("injected");
  expect(replies[0]?.reason).toMatch(/^[A-Za-z ]+$/);
};

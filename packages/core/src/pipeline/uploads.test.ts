import { expect, test } from "@jest/globals";
import fc from "fast-check";
import * as v from "valibot";
import { z } from "zod";
import { App, type StandardSchema } from "../index.ts";

const png = (bytes = [1, 2, 3], name = "cover.png") =>
  new File([new Uint8Array(bytes)], name, { type: "image/png" });

const form = (fields: readonly (readonly [string, string | File])[]): FormData => {
  const data = new FormData();
  for (const [name, value] of fields) data.append(name, value as string);
  return data;
};

/** Sends a form to a route with this schema. The reply describes the validated body. */
const send = async (body: StandardSchema, data: FormData | string) => {
  const app = new App();
  app.post("/x", { body }, async ({ input }) => describeValue(input.body));
  const headers: Record<string, string> =
    typeof data === "string" ? { "content-type": "application/json" } : {};
  const reply = await app.fetch(new Request("http://host.test/x", { method: "POST", body: data, headers }));
  return { status: reply.status, body: (await reply.json()) as { errors?: object[] } };
};

const describeValue = async (value: unknown): Promise<unknown> => {
  if (value instanceof File) return [value.name, value.type, value.size, [...(await value.bytes())]];
  if (Array.isArray(value)) return Promise.all(value.map(describeValue));
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(
    async ([name, member]) => [name, await describeValue(member)] as const,
  );
  return Object.fromEntries(await Promise.all(members));
};

const Cover = z.object({ title: z.string(), cover: z.file().mime("image/png").max(4) });

test("a schema sees the files of a multipart body as web Files beside its strings", async () => {
  const data = form([
    ["title", "Emma"],
    ["cover", png()],
  ]);
  const expected = { status: 200, body: { title: "Emma", cover: ["cover.png", "image/png", 3, [1, 2, 3]] } };
  expect(await send(Cover, data)).toEqual(expected);
  const Valibot = v.object({ title: v.string(), cover: v.pipe(v.file(), v.mimeType(["image/png"])) });
  expect(await send(Valibot, data)).toEqual(expected);
  expect(await send(z.object({ title: z.string(), cover: z.instanceof(File) }), data)).toEqual(expected);
});

test("a file of another type or size, a string instead of a file and a missing file are each a 422 that names the field", async () => {
  const title = ["title", "Emma"] as const;
  const text = new File(["x"], "a.txt", { type: "text/plain" });
  for (const [value, received] of [
    [["cover", text], "file"],
    [["cover", png([1, 2, 3, 4, 5])], "file"],
    [["cover", "text"], "string"],
    [["other", png()], "missing"],
  ] as const) {
    const { status, body } = await send(Cover, form([title, value]));
    expect([received, status]).toEqual([received, 422]);
    expect(body.errors).toMatchObject([{ loc: ["body", "cover"], received }]);
  }
  expect((await send(Cover, '{"title":"Emma","cover":"x"}')).status).toBe(422);
});

test("several files under one name are a list, in their order", async () => {
  const schema = z.object({ pages: z.array(z.file()) });
  const { body } = await send(
    schema,
    form([
      ["pages", png([1], "1.png")],
      ["pages", png([2], "2.png")],
    ]),
  );
  expect(body).toEqual({
    pages: [
      ["1.png", "image/png", 1, [1]],
      ["2.png", "image/png", 1, [2]],
    ],
  });
});

test("a file that a handler passes on has its whole content, and request.files still returns it", async () => {
  const app = new App();
  app.post("/x", { body: Cover }, async (request) => {
    const { cover } = request.input.body;
    const [file] = await request.files();
    const copy = await new globalThis.Response(form([["f", cover]])).formData();
    const sent = copy.get("f");
    return [sent instanceof File && (await sent.bytes()).length, file?.size, file?.toFile() === cover];
  });
  const data = form([
    ["title", "x"],
    ["cover", png()],
  ]);
  const reply = await app.fetch(new Request("http://host.test/x", { method: "POST", body: data }));
  expect(await reply.json()).toEqual([3, 3, true]);
});

test("any form arrives as it was sent: each name with its strings, then its files", async () => {
  const name = fc.constantFrom("a", "b", "__proto__", "constructor", "toString");
  const value = fc.oneof(
    fc.string({ unit: "grapheme-ascii" }),
    fc.uint8Array({ minLength: 1, maxLength: 20 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { minLength: 1, maxLength: 8 }), async (pairs) => {
      const data = form(
        pairs.map(([key, given]) => [key, typeof given === "string" ? given : png([...given])] as const),
      );
      const { body } = await send(
        z.any().transform((all: object) => Object.entries(all)),
        data,
      );
      const expected = [...Map.groupBy(pairs, ([key]) => key)].map(([key, group]) => {
        const texts = group.flatMap(([, given]) => (typeof given === "string" ? [given] : []));
        const files = group.flatMap(([, given]) =>
          typeof given === "string" ? [] : [["cover.png", "image/png", given.length, [...given]]],
        );
        const all: unknown[] = [...texts, ...files];
        return [key, all.length === 1 ? all[0] : all];
      });
      const sorted = (list: unknown) =>
        (list as [string, unknown][]).toSorted(([a], [b]) => (a < b ? -1 : 1));
      expect(sorted(body)).toEqual(sorted(expected));
    }),
    { numRuns: 50 },
  );
});

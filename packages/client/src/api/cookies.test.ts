import { expect, test } from "@jest/globals";
import { importClient } from "./generated-module.test-kit.ts";

const parameter = (name: string, more: object) => ({
  name,
  in: "cookie",
  schema: { type: "array" },
  ...more,
});
const cookies = {
  openapi: "3.1.0",
  info: { title: "Cookies", version: "1" },
  paths: {
    "/": {
      get: {
        operationId: "get",
        security: [{ session: [] }],
        parameters: [
          parameter("ids", {}),
          parameter("joined", { explode: false }),
          parameter("theme", { schema: {} }),
        ],
        responses: { 204: { description: "" } },
      },
    },
  },
  components: { securitySchemes: { session: { type: "apiKey", in: "cookie", name: "__Host-sid" } } },
};

/** Returns the cookies of a call, or the code of its error. */
const sendCookies = async (
  session: string | null,
  given: object,
  { headers = {}, common = {} }: { readonly headers?: object; readonly common?: Record<string, string> } = {},
): Promise<unknown> => {
  let field: string | null = null;
  const fetch = (request: Request): Response => {
    field = request.headers.get("cookie");
    return new Response(null, { status: 204 });
  };
  const createClient = await importClient(cookies);
  const credentials = session === null ? {} : { session };
  await using client = createClient("http://api.test", { fetch, credentials, headers: common });
  const code = await client["get"]?.({ cookies: given, headers }).then(
    () => null,
    (error: unknown) => (error as { code: string }).code,
  );
  return code ?? field;
};

test("a credential is sent unchanged, and refused if it contains a character that a cookie cannot contain", async () => {
  expect(await sendCookies("s:a/b+c==.%20", {})).toBe("__Host-sid=s:a/b+c==.%20");
  for (const session of ["a;b", "a\nb", "a\u00e9", "\0"])
    expect(await sendCookies(session, {})).toBe("CLIENT_BAD_PARAMETER");
  expect(await sendCookies("s", { "__Host-sid": "own" })).toBe("__Host-sid=own");
});

test("list items are encoded before they are joined, and are separate cookies by default", async () => {
  expect(await sendCookies(null, { ids: ["a", "b;c"], joined: ["a,b", "c"], theme: "dark;" })).toBe(
    "ids=a; ids=b%3Bc; joined=a%2Cb,c; theme=dark%3B",
  );
  expect(await sendCookies(null, { ids: undefined })).toBeNull();
  expect(await sendCookies(null, { "a=b; c": 1 })).toBe("CLIENT_BAD_PARAMETER");
});

test("cookies of the field `Cookie` are sent with the credential and the parameters", async () => {
  const own = { headers: { Cookie: "a=1; b=2" } };
  expect(await sendCookies("s", { theme: "dark" }, own)).toBe("a=1; b=2; __Host-sid=s; theme=dark");
  expect(await sendCookies("s", {}, { common: { cookie: "a=1" } })).toBe("a=1; __Host-sid=s");
  expect(await sendCookies("s", {}, { common: { cookie: "a=1" }, headers: { cookie: "b=2" } })).toBe(
    "b=2; __Host-sid=s",
  );
  expect(await sendCookies(null, {}, own)).toBe("a=1; b=2");
});

test("of cookies with the same name one is sent: the parameter, otherwise that of the field, otherwise the credential", async () => {
  const common = { cookie: "theme=light; __Host-sid=field" };
  expect(await sendCookies("s", {}, { common })).toBe("theme=light; __Host-sid=field");
  expect(await sendCookies("s", { theme: "dark" }, { common })).toBe("__Host-sid=field; theme=dark");
  expect(await sendCookies("s", { "__Host-sid": "own" }, { common })).toBe("theme=light; __Host-sid=own");
});

import { parseCookies } from "@framework/core/http";
import { parse as honoParse } from "hono/utils/cookie";
import { freshTexts } from "./inputs.ts";
import { type Case, defineCase, type Suite } from "./measure.ts";
import { expressCookie } from "./peers.ts";

const cookieCase = (name: string, text: string): Case =>
  defineCase({
    name,
    inputs: freshTexts(text),
    implementations: {
      "cookie (express)": (header) => expressCookie.parse(header)["session"],
      ours: (header) => parseCookies(header).get("session"),
      "hono, all": (header) => honoParse(header)["session"],
      "hono, one by name": (header) => honoParse(header, "session")["session"],
    },
  });

/** Reading one cookie. */
export const cookies: Suite = {
  title: "Cookies, one read",
  reference: "cookie (express)",
  cases: [
    cookieCase("1", "session=6f1c0b52d4e84a7fb1f0c6a2"),
    cookieCase(
      "8, one escaped",
      "theme=dark; consent=1; lang=en-GB; _ga=GA1.1.1234567890.1700000000; cart=%7B%22n%22%3A2%7D; ab=b; seen=1; session=6f1c0b52d4e84a7fb1f0c6a2",
    ),
  ],
};

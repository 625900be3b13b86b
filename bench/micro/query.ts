import { parse } from "node:querystring";
import { getQueryParam } from "hono/utils/url";
import { Query } from "../router/core-internals.ts";
import { freshTexts } from "./inputs.ts";
import { type Case, defineCase, type Suite } from "./measure.ts";

const queryCase = (name: string, text: string): Case =>
  defineCase({
    name,
    inputs: freshTexts(text),
    implementations: {
      URLSearchParams: (search) => new URLSearchParams(search).get("page"),
      ours: (search) => new Query(search).get("page"),
      "node:querystring": (search) => parse(search)["page"],
      "hono, one by name": (search) => getQueryParam(`/?${search}`, "page"),
    },
  });

/** Reading one parameter of a query. */
export const query: Suite = {
  title: "Query, one parameter read",
  reference: "URLSearchParams",
  cases: [
    queryCase("2 plain", "page=3&limit=50"),
    queryCase(
      "8, some escaped",
      "q=caf%C3%A9+noir&sort=-created&tag=a%26b&tag=c&from=2026-01-01&to=2026-12-31&page=12&limit=100",
    ),
  ],
};

/**
 * A preload that disables one memo: `--import file:///…/memos/without.ts?head`.
 *
 * Edits the source text while Node loads it, so that the product needs no option for it.
 */
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";
import { withoutMemo } from "./memos.ts";

const name = new URL(import.meta.url).search.slice(1);
const packages = fileURLToPath(new URL("../../packages/", import.meta.url));

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const path = url.startsWith("file:") ? fileURLToPath(url) : "";
    if (!path.startsWith(packages) || loaded.source === undefined || loaded.source === null) return loaded;
    const source =
      typeof loaded.source === "string" ? loaded.source : new TextDecoder().decode(loaded.source);
    const edited = withoutMemo(name, path.slice(packages.length), source);
    return edited === source ? loaded : { ...loaded, source: edited };
  },
});

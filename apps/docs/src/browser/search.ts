import MiniSearch, { type SearchResult } from "minisearch";
import { searchOptions } from "../search/search-options.ts";

/** Maximum number of results shown. */
const MAX_RESULTS = 30;

const base = new URL(".", (document.currentScript as HTMLScriptElement | null)?.src ?? location.href);
const element = <T extends Element>(selector: string): T => {
  const found = document.querySelector<T>(selector);
  if (found === null) throw new Error(`the page has no ${selector}`);
  return found;
};
const dialog = element<HTMLDialogElement>("#search");
const field = element<HTMLInputElement>("#search input");
const list = element<HTMLUListElement>("#search ul");
const status = element<HTMLElement>("#search [role=status]");
const button = element<HTMLButtonElement>("#open-search");

let loading: Promise<MiniSearch> | undefined;

/** Loads the index when the search is opened for the first time. */
const load = (): Promise<MiniSearch> =>
  (loading ??= fetch(new URL("search.json", base))
    .then((reply) => reply.text())
    .then((json) => MiniSearch.loadJSONAsync(json, searchOptions as never)));

const open = (): void => {
  void load();
  dialog.showModal();
  field.select();
};

const item = ({ id, page, heading }: SearchResult): HTMLLIElement => {
  const link = document.createElement("a");
  link.href = new URL(String(id), base).href;
  const title = document.createElement("strong");
  title.textContent = heading === "" ? String(page) : String(heading);
  link.append(title);
  if (heading !== "") link.append(` ${String(page)}`);
  link.addEventListener("click", () => dialog.close());
  const entry = document.createElement("li");
  entry.append(link);
  return entry;
};

let latest = 0;
const search = async (): Promise<void> => {
  const call = ++latest;
  const words = field.value.trim();
  const index = await load();
  if (call !== latest) return; // a later call searches for newer words
  const found = words === "" ? [] : index.search(words);
  list.replaceChildren(...found.slice(0, MAX_RESULTS).map(item));
  status.textContent = words === "" ? "" : `${found.length} results`;
};

/** Moves the focus with the arrow keys, between the field and the results. */
const move = (event: KeyboardEvent): void => {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const places = [field, ...list.querySelectorAll("a")];
  const at = places.indexOf(document.activeElement as HTMLInputElement);
  places[Math.max(0, Math.min(places.length - 1, at + step))]?.focus();
};

const isTyping = ({ target }: Event): boolean =>
  target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");

button.hidden = false;
button.addEventListener("click", open);
element("#close-search").addEventListener("click", () => dialog.close());
dialog.addEventListener("keydown", move);
field.addEventListener("input", () => void search());
field.form?.addEventListener("submit", (event) => {
  event.preventDefault();
  list.querySelector("a")?.click();
});
document.addEventListener("keydown", (event) => {
  const isShortcut =
    (event.key === "/" && !isTyping(event)) || (event.key === "k" && (event.ctrlKey || event.metaKey));
  if (!isShortcut || dialog.open) return;
  event.preventDefault();
  open();
});

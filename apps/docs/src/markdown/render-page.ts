import MarkdownIt from "markdown-it";
import type { SitePage } from "../pages/site-page.ts";
import { slugger } from "../pages/heading-slug.ts";
import { highlight } from "./highlight.ts";
import { type PageLinks, relativeUrl } from "./page-links.ts";

/** A heading of a page with the text below it, up to the next one. */
export interface PageSection {
  readonly level: number;
  readonly heading: string;
  readonly slug: string;
  /** Plain text, without code blocks. */
  text: string;
}

/** A page as HTML. */
export interface RenderedPage {
  readonly html: string;
  readonly sections: readonly PageSection[];
}

interface Env {
  readonly page: SitePage;
  readonly sections: PageSection[];
}

/** Options of the renderer. */
export interface RendererOptions {
  readonly links: PageLinks;
  /** Address of the page of an error code; `undefined` for other words. */
  readonly errorUrl: (word: string) => string | undefined;
}

/** Returns the function that turns pages into HTML: links resolved, headings with ids, error codes linked, no inline style. */
export const pageRenderer = ({ links, errorUrl }: RendererOptions): ((page: SitePage) => RenderedPage) => {
  const markdown = new MarkdownIt({ html: false, highlight });
  addHeadingLinks(markdown);
  scrollWideBlocks(markdown);
  pairQuotes(markdown, links);
  markdown.core.ruler.push("links", ({ tokens, env }) => {
    const { page } = env as Env;
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.attrGet("href");
      if (href !== null) token.attrSet("href", links.resolve(href, page));
      const src = token.attrGet("src");
      if (src !== null) token.attrSet("src", links.image(src, page));
    }
  });
  markdown.renderer.rules["code_inline"] = (tokens, index, _options, env: Env) => {
    const { content = "" } = tokens[index] ?? {};
    const code = `<code>${markdown.utils.escapeHtml(content)}</code>`;
    const url = tokens[index - 1]?.type === "link_open" ? undefined : errorUrl(content);
    return url === undefined || url === env.page.url
      ? code
      : `<a href="${relativeUrl(env.page.url, url)}">${code}</a>`;
  };
  return (page) => {
    const env: Env = { page, sections: [] };
    const html = markdown.render(page.markdown, env);
    return { html, sections: env.sections };
  };
};

/** Gives each heading an `id`, and all but the title a link to it; collects the sections. */
const addHeadingLinks = (markdown: MarkdownIt): void => {
  markdown.core.ruler.push("headings", ({ tokens, env }) => {
    const { sections, page } = env as Env;
    const slugOf = slugger(page.section === "API");
    for (const [index, token] of tokens.entries()) {
      if (token.type !== "inline") continue;
      const text = (token.children ?? [])
        .map(({ content, type }) => (type === "softbreak" ? " " : content))
        .join("");
      const before = tokens[index - 1];
      if (before?.type === "heading_open") {
        const section = { level: Number(before.tag.slice(1)), heading: text, slug: slugOf(text), text: "" };
        before.attrSet("id", section.slug);
        sections.push(section);
      } else {
        const last = sections.at(-1);
        if (last !== undefined) last.text += `${text} `;
      }
    }
  });
  markdown.renderer.rules["heading_close"] = (tokens, index) => {
    const [open, inline] = [tokens[index - 2], tokens[index - 1]];
    const tag = tokens[index]?.tag ?? "h2";
    if (tag === "h1") return `</${tag}>\n`;
    const name = markdown.utils.escapeHtml((inline?.children ?? []).map(({ content }) => content).join(""));
    return ` <a class="anchor" href="#${open?.attrGet("id") ?? ""}" aria-label="Link to ${name}">#</a></${tag}>\n`;
  };
};

/** Makes wide tables and code scroll separately, also by keyboard, and turns the alignment of columns into a class. */
const scrollWideBlocks = (markdown: MarkdownIt): void => {
  const { rules } = markdown.renderer;
  rules["table_open"] = () => '<div class="wide" tabindex="0" role="group" aria-label="Table"><table>\n';
  rules["table_close"] = () => "</table></div>\n";
  for (const cell of ["th_open", "td_open"]) {
    rules[cell] = (tokens, index, options, _env, self) => {
      const token = tokens[index];
      const align = /text-align:(\w+)/.exec(token?.attrGet("style") ?? "")?.[1];
      if (token !== undefined && align !== undefined) token.attrs = [["class", align]];
      const close = tokens[index + 2];
      if (token?.tag === "th" && tokens[index + 1]?.content === "" && close !== undefined) {
        token.tag = "td"; // an empty corner cell is not a header
        close.tag = "td";
      }
      return self.renderToken(tokens, index, options);
    };
  }
  const code = rules["fence"];
  for (const block of ["fence", "code_block"]) {
    const inner = block === "fence" ? code : rules["code_block"];
    rules[block] = (tokens, index, options, env, self) =>
      (inner?.(tokens, index, options, env, self) ?? "").replace("<pre", '<pre tabindex="0"');
  }
};

/** Returns the path of the file that a code block quotes; an empty string for any other token. */
const quotedPath = (token: { readonly info: string } | undefined): string =>
  /^\S+ (\S+\/\S+)$/.exec(token?.info ?? "")?.[1] ?? "";

/** Adds the path as a caption to code blocks that quote a file, and shows consecutive ones side by side where there is room. */
const pairQuotes = (markdown: MarkdownIt, links: PageLinks): void => {
  const { renderer, utils } = markdown;
  const { rules } = renderer;
  const code = rules["fence"];
  rules["fence"] = (tokens, index, options, env: Env, self) => {
    const block = code?.(tokens, index, options, env, self) ?? "";
    const path = quotedPath(tokens[index]);
    if (path === "") return block;
    const href = links.resolve(`https://github.com/framework/framework/blob/main/${path}`, env.page);
    const figure = `<figure><figcaption><a href="${href}">${utils.escapeHtml(path)}</a></figcaption>${block}</figure>`;
    const before = quotedPath(tokens[index - 1]) !== "";
    const after = quotedPath(tokens[index + 1]) !== "";
    return `${after && !before ? '<div class="pair">' : ""}${figure}${before && !after ? "</div>" : ""}`;
  };
};

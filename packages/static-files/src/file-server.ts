import {
  BodyStream,
  type Clock,
  type DecisionReasons,
  encodePath,
  systemClock,
} from "@framework/core/feature";
import { type HttpRequest, NotFoundError, Response } from "@framework/core";
import { mediaTypeOf } from "@framework/core/http";
import { cacheControlOf } from "./cache-lifetimes.ts";
import { listingPage, MAX_LISTED } from "./directory-listing.ts";
import { fileReply } from "./file-reply.ts";
import type { OpenedFile } from "./opened-file.ts";
import { PrecompressedSiblings } from "./precompressed.ts";
import { isServedName, type NameRules, requestNames } from "./request-names.ts";
import type { ServedFolder } from "./served-folder.ts";
import type { StaticFilesConfig } from "./static-files-config.ts";

/** Serves the files under a prefix. */
export class FileServer {
  private readonly config: Readonly<StaticFilesConfig>;
  private readonly folder: ServedFolder;
  private readonly clock: Clock;
  private readonly rules: NameRules;
  /** Number of segments in the prefix. */
  private readonly depth: number;
  private readonly siblings: PrecompressedSiblings | null;
  private readonly cacheControl: (name: string) => string;
  private readonly reasons: DecisionReasons;

  constructor(
    config: Readonly<StaticFilesConfig>,
    folder: ServedFolder,
    reasons: DecisionReasons,
    clock: Clock = systemClock,
  ) {
    const { prefix, precompressed, dotFiles } = config;
    this.config = config;
    this.folder = folder;
    this.clock = clock;
    this.reasons = reasons;
    this.rules = { dotFiles, platform: process.platform };
    this.depth = prefix === "/" ? 0 : prefix.split("/").length - 1;
    this.siblings = precompressed ? new PrecompressedSiblings(folder, clock.now) : null;
    this.cacheControl = cacheControlOf(config);
  }

  /** Returns the reply to a request. @throws NotFoundError if no such file is served; the errors of `fileReply` and `ServedFolder` */
  async serve(request: HttpRequest): Promise<Response> {
    const parsed = requestNames(request.path, this.depth, this.rules);
    if (parsed === null) throw this.notFound(request, "the path contains a name that is never served");
    if (parsed.isFolder) return this.serveFolder(request, parsed.names);
    const found = await this.folder.find(parsed.names);
    if (found === "folder") {
      this.explain(request, "a folder: redirected to its path with a trailing /");
      return redirectToFolder(request).setHeader("cache-control", this.cacheControl(""));
    }
    if (found === null) throw this.notFound(request, "the folder has no such file");
    return this.send(request, parsed.names, found);
  }

  private async serveFolder(request: HttpRequest, folder: readonly string[]): Promise<Response> {
    const { indexFile, directoryListing } = this.config;
    const names = [...folder, indexFile];
    const found = await this.folder.find(names);
    if (found !== null && found !== "folder") return this.send(request, names, found);
    if (!directoryListing)
      throw this.notFound(request, `a folder without ${indexFile}, and directoryListing is false`);
    const isShown = (name: string) => isServedName(name, this.rules);
    const entries = await this.folder.list(folder, MAX_LISTED, isShown);
    if (entries === null) throw this.notFound(request, "there is no such folder");
    this.explain(request, `a folder without ${indexFile}: the list of its files`);
    return listingPage(folder, entries);
  }

  private explain(request: HttpRequest, reason: string): void {
    if (this.reasons.isObserved) this.reasons.give(request, reason);
  }

  private notFound(request: HttpRequest, reason: string): NotFoundError {
    this.explain(request, reason);
    return new NotFoundError("There is no such file", { path: request.path });
  }

  private async send(request: HttpRequest, names: readonly string[], file: OpenedFile): Promise<Response> {
    const name = names.at(-1) ?? "";
    const contentType = mediaTypeOf(name);
    const { siblings } = this;
    const varies = siblings !== null && siblings.isCompressible(contentType);
    const coded = varies ? await siblings.find(names, request).catch(closing(file)) : null;
    if (coded !== null) await file.close();
    const { etag, lastModified, headers } = this.config;
    const reply = await fileReply(request, coded?.file ?? file, {
      contentType,
      coding: coded?.coding ?? null,
      cacheControl: this.cacheControl(name),
      varies,
      headers,
      etag,
      lastModified,
      nowMs: this.clock.date(),
    });
    if (this.reasons.isObserved)
      this.reasons.give(request, sentReason(request, reply, coded?.coding ?? null));
    const { payload } = reply;
    // After the deadline the reply is dropped, so the file must be closed here.
    if (payload instanceof BodyStream && request.signal.aborted) await payload.cancel();
    return reply;
  }
}

const sentReason = (request: HttpRequest, { status }: Response, coding: string | null): string => {
  const file = coding === null ? "the file" : `the precompressed ${coding} file`;
  if (status === 304) return `${file} matches the client's copy`;
  if (status === 412) return `${file} does not match the request's condition`;
  if (status === 206) return `the requested ranges of ${file}`;
  return request.getHeader("range") === null ? `${file}, whole` : `${file}, whole: the ranges do not apply`;
};

const closing =
  (file: OpenedFile) =>
  async (error: unknown): Promise<never> => {
    await file.close();
    throw error;
  };

/** Redirects to the path with a trailing `/`, against which relative links of an index file resolve. */
const redirectToFolder = ({ path, url }: HttpRequest): Response => {
  const query = url.includes("?") ? url.slice(url.indexOf("?")) : "";
  return Response.redirect(`${encodePath(path)}/${query}`, { permanent: true, sameOrigin: true });
};

/**
 * Returns a function that gives the headings of one page their fragments, as GitHub does: `What is sent` becomes `what-is-sent`, a repeated one
 * `what-is-sent-1`. Headings that are names of an API keep their case, because names may differ in case alone: `caching`, `Caching`.
 */
export const slugger = (areNames = false): ((heading: string) => string) => {
  const seen = new Map<string, number>();
  return (heading) => {
    const slug = areNames ? heading.replaceAll(/\s/g, "-") : slugOf(heading);
    const count = seen.get(slug) ?? 0;
    seen.set(slug, count + 1);
    return count === 0 ? slug : `${slug}-${count}`;
  };
};

const slugOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}\s_-]/gu, "")
    .trim()
    .replaceAll(/\s/g, "-");

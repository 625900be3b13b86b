const HEAD = `import { App, type StandardSchema } from "@framework/core";

declare const PageQuery: StandardSchema<unknown, { readonly page: number }>;
declare const NewBook: StandardSchema<unknown, { readonly title: string; readonly year: number | null }>;

const app = new App();
`;

const route = (index: number): string => {
  const path = `/shelf-${index}/{shelf}/books/{id}`;
  if (index % 3 === 0) {
    return `app.get("${path}", (request) => ({ id: request.params.id, shelf: request.params.shelf }));`;
  }
  return index % 3 === 1
    ? `app.get("${path}", { query: PageQuery }, (request) => ({ page: request.input.query.page + 1 }));`
    : `app.post("${path}", { body: NewBook }, (request) => ({ title: request.input.body.title.trim() }));`;
};

/** A program with `count` routes of the three common kinds: plain, with a query schema, with a body schema. */
export const manyRoutes = (count: number): string =>
  `${HEAD}${Array.from({ length: count }, (_, index) => route(index)).join("\n")}\nexport { app, NewBook, PageQuery };\n`;

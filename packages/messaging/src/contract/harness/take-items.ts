/** Removes and yields the items of a message's data, like a handler that changes its input. */
export function* takeItems(data: unknown): Generator<string> {
  const { items } = data as { readonly items: string[] };
  for (let item = items.shift(); item !== undefined; item = items.shift()) yield item;
}

/** Takes the items of a message's data out of it, one by one, as handlers do that change what they get. */
export function* taken(data: unknown): Generator<string> {
  const { items } = data as { readonly items: string[] };
  for (let item = items.shift(); item !== undefined; item = items.shift()) yield item;
}

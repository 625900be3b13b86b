/** The reply of both servers. */
interface Book {
  readonly id: number;
  readonly title: string;
  readonly price: number;
  readonly tags: readonly string[];
}

export const bookOf = (id: number): Book => ({
  id,
  title: `Book number ${id}`,
  price: id / 4,
  tags: ["paperback", "second hand"],
});

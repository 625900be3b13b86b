const list = document.querySelector("#books");

const show = async () => {
  const { books } = await (await fetch("/books")).json();
  list.replaceChildren(
    ...books.map(({ title, author }) => {
      const item = document.createElement("li");
      item.textContent = `${title}, ${author}`;
      return item;
    }),
  );
};

const feed = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/feed`);
feed.addEventListener("open", show); // after the connection: an earlier snapshot could miss a change
feed.addEventListener("message", show);

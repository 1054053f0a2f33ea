// Listens for clicks on Run buttons. Every page of the site loads this; the first click loads the rest.
document.addEventListener("click", async ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLElement>("button.run") : null;
  if (!button) return;
  const { run } = await import("./page.ts");
  run(button);
});

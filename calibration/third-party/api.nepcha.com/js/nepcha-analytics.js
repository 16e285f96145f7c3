// Stands for the analytics of this name: notes scrolling, and tells of the visit when the page is idle.
{
  const seen = { scrolled: 0 };
  addEventListener("scroll", () => { seen.scrolled = Math.max(seen.scrolled, scrollY); }, { passive: true });
  requestIdleCallback(() => { new Image().src = "https://beacon.example/collect.gif?what=nepcha"; });
}

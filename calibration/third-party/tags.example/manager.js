// A tag manager: decides for a while, then inserts the tags of the site.
{
  const insert = (src) => {
    const script = document.createElement("script");
    script.async = true;
    script.src = src;
    document.head.append(script);
  };
  const rules = [];
  for (let i = 0; i < 60000; i += 1) rules.push(`rule${(i * 7919) % 60000}`);
  rules.sort();
  insert("https://consent.example/consent.js");
  insert("https://beacon.example/analytics.js");
}

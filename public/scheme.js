// Runs before the first paint, so that a dark room stays dark; the page's policy allows no inline script.
(function () {
  var page = document.documentElement;
  var chosen = null;
  try {
    chosen = localStorage.getItem('mantine-color-scheme-value');
  } catch {
    // Storage may be refused; the system's scheme is then the answer.
  }
  if (chosen !== 'light' && chosen !== 'dark') {
    chosen = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }
  page.setAttribute('data-mantine-color-scheme', chosen);

  // The first lines of a recording, which the server puts into its page (server/meetings/first-text-page.ts). Not where it
  // opens elsewhere than at its beginning: where a link leads, or where this browser stopped playing
  // (client/meetings/sound/resume.ts).
  var id = /^\/meeting\/([\w-]{1,64})\/?$/.exec(location.pathname);
  if (!id) return;
  var elsewhere = location.hash !== '';
  try {
    // The hint above the text of a first recording (client/meetings/player/first-help.tsx).
    if (localStorage.getItem('colloquy-player-known') === null) page.setAttribute('data-newcomer', '');
    var stopped = Object.keys(localStorage).some(function (key) {
      return key.indexOf('colloquy-places:') === 0 && localStorage.getItem(key).indexOf('"' + id[1] + '":') >= 0;
    });
    elsewhere = elsewhere || stopped;
  } catch {
    // Without storage no place is known, and the hint is not shown.
  }
  if (!elsewhere) page.setAttribute('data-first-text', '');
  var late;
  function takeOver() {
    watch.disconnect();
    clearTimeout(late);
    page.removeAttribute('data-first-text');
    var first = document.getElementById('first-text');
    if (!first) return;
    var top = first.querySelector('.first-panel').scrollTop;
    var focused = first.contains(document.activeElement);
    first.remove();
    // Lines that somebody scrolled to meanwhile stay where they are.
    var text = top > 0 && document.querySelector('[data-tour="text"]');
    if (text) text.parentElement.scrollTo(0, top);
    var main = focused && document.getElementById('main');
    if (main) main.focus({ preventScroll: true });
  }
  var watch = new MutationObserver(function () {
    var root = document.getElementById('root');
    if (!root || !root.firstElementChild || root.querySelector(':scope > .boot')) return;
    if (!root.querySelector('[data-first-wait]')) takeOver();
    // The placeholder says after three seconds why the page waits; the lines must not hide that.
    else if (late === undefined) late = setTimeout(takeOver, 3000);
  });
  watch.observe(document, { subtree: true, childList: true });
})();

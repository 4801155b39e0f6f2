'use strict';
// Orders the rows of tables by a column, and chooses rows by language. The page tells all
// without this script.
(() => {
  const tables = [...document.querySelectorAll('table.sortable')];

  const valueOf = (cell) => {
    const text = (cell.querySelector('strong') || cell.firstChild || cell).textContent.trim();
    const value = Number(text.replace(/,/g, '').replace('−', '-'));
    return { text, value: text === '' ? NaN : value };
  };
  const order = (table, column, down) => {
    const body = table.tBodies[0];
    const rows = [...body.rows].map((row, place) => ({ row, place, ...valueOf(row.cells[column]) }));
    rows.sort((a, b) => {
      const one = Number.isNaN(a.value), other = Number.isNaN(b.value);
      let way = one - other; // words after numbers, whatever the order
      if (way === 0) {
        way = one ? a.text.localeCompare(b.text) : a.value - b.value;
        if (down) way = -way;
      }
      return way || a.place - b.place;
    });
    body.append(...rows.map((r) => r.row));
  };
  for (const table of tables) {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const button = document.createElement('button');
      button.type = 'button';
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener('click', () => {
        const sorted = head.getAttribute('aria-sort');
        const down = sorted ? sorted === 'ascending' : head.classList.contains('number');
        heads.forEach((h) => h.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        order(table, column, down);
      });
    });
  }

  const rows = [...document.querySelectorAll('tr[data-l]')].map((row) => ({ row, codes: row.dataset.l.split(' ').filter(Boolean) }));
  const codes = [...new Set(rows.flatMap((r) => r.codes))].sort();
  if (codes.length < 2) return;
  const label = document.createElement('label'), select = document.createElement('select');
  select.append(new Option('all', ''), ...codes.map((c) => new Option(c, c)));
  label.className = 'chooser';
  label.append('Language of the rows: ', select);
  document.querySelector('main').prepend(label);
  select.addEventListener('change', () => {
    const code = select.value;
    for (const r of rows) r.row.hidden = code !== '' && !r.codes.includes(code);
    for (const figure of document.querySelectorAll('figure.table')) {
      const body = figure.querySelector('tbody');
      figure.hidden = body.querySelector('tr[data-l]') !== null && body.querySelector('tr:not([hidden])') === null;
    }
    if (code !== '') {
      for (const fold of document.querySelectorAll('details')) {
        fold.open = fold.open || fold.querySelector('tr[data-l]:not([hidden])') !== null;
      }
    }
  });
})();

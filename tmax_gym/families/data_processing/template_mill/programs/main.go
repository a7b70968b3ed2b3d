package main

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
)

const opening, closing, control, over = "@open@", "@close@", "@control@", "@over@"

var wide = [][2]rune{/*@wide@*/{4352, 4447}, {11904, 42191}, {44032, 55203}, {63744, 64255}, {65280, 65376}/*@*/}
var pairs = map[[2]rune]rune{}
var folds = map[string]string{}
var plurals [][]string
var phrases = map[[2]string]string{}
var template []string
var row = map[string]string{}
var topic = map[string]bool{}
var out = bufio.NewWriter(os.Stdout)

func lines(name string) []string {
	data, err := os.ReadFile(os.Args[1] + "/" + name)
	if err != nil {
		panic(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func table(name string) [][]string {
	var made [][]string
	for _, line := range lines(name) {
		if line != "" {
			made = append(made, strings.Split(line, "\t"))
		}
	}
	return made
}

func composed(text string) string {
	var made []rune
	for _, c := range text {
		if n := len(made); n > 0 {
			if one, ok := pairs[[2]rune{made[n-1], c}]; ok {
				made[n-1] = one
				continue
			}
		}
		made = append(made, c)
	}
	return string(made)
}

func tokens(text string) []string {
	var made strings.Builder
	for _, c := range composed(text) {
		if folded, ok := folds[string(c)]; ok {
			made.WriteString(folded)
		} else {
			made.WriteRune(c)
		}
	}
	return strings.FieldsFunc(strings.ToLower(made.String()), func(c rune) bool {
		return strings.ContainsRune("@splits@", c)
	})
}

func same(pattern, token string) bool {
	if strings.HasSuffix(pattern, "*") {
		return strings.HasPrefix(token, strings.TrimSuffix(pattern, "*"))
	}
	return pattern == token
}

func occurs(phrase, words []string) bool {
	for at := 0; at+len(phrase) <= len(words); at++ {
		good := true
		for i, p := range phrase {
			good = good && same(p, words[at+i])
		}
		if good {
			return true
		}
	}
	return false
}

func width(text string) int {
	total := 0
	for _, c := range text {
		if c >= /*@first@*/768/*@*/ && c <= /*@last@*/879/*@*/ {
			continue
		}
		total++
		for _, r := range wide {
			if r[0] <= c && c <= r[1] {
				total++
			}
		}
	}
	return total
}

func aligned(text, columns string) string {
	size := number(strings.TrimPrefix(columns, ">"))
	if width(text) > size && over != "keep" {
		room, kept, dots := size, "", ""
		if over == "dots" {
			room, dots = size-1, "…"
		}
		for _, c := range text {
			if width(kept+string(c)) > room {
				break
			}
			kept += string(c)
		}
		text = kept + dots
	}
	pad := ""
	if size > width(text) {
		pad = strings.Repeat(" ", size-width(text))
	}
	if strings.HasPrefix(columns, ">") {
		return pad + text
	}
	return text + pad
}

func number(text string) int {
	value, _ := strconv.Atoi(text)
	return value
}

func form(lang string, n, forms int) int {
	for _, r := range plurals {
		rest := n
		if m := number(r[2]); m > 0 {
			rest = n % m
		}
		if r[0] != lang || rest < number(r[3]) || rest > number(r[4]) {
			continue
		}
		first, last, _ := strings.Cut(r[5], "-")
		if r[5] == "-" || n%100 < number(first) || n%100 > number(last) {
			return number(r[1])
		}
	}
	return forms
}

func slot(text string) string {
	if !strings.HasPrefix(text, "=") {
		name, columns, found := strings.Cut(text, ":")
		if found {
			return aligned(row[name], columns)
		}
		return row[name]
	}
	key, field, plural := strings.Cut(text[1:], " ")
	lang := row["lang"]
	phrase, ok := phrases[[2]string{key, lang}]
	if !ok {
		lang = "en"
		phrase = phrases[[2]string{key, lang}]
	}
	if plural {
		forms := strings.Split(phrase, "|")
		phrase = forms[form(lang, number(row[field]), len(forms))-1]
	}
	return filled(phrase)
}

func filled(line string) string {
	head, rest, found := strings.Cut(line, opening)
	if !found {
		return line
	}
	inside, tail, _ := strings.Cut(rest, closing)
	return head + slot(inside) + filled(tail)
}

func holds(what string) bool {
	bare := strings.TrimPrefix(what, "!")
	yes := row[bare] != ""
	if strings.HasPrefix(bare, "#") {
		yes = topic[bare[1:]]
	}
	return yes != strings.HasPrefix(what, "!")
}

func block(at int, on bool) int {
	for ; at < len(template); at++ {
		line := template[at]
		if !strings.HasPrefix(line, control) {
			if on {
				fmt.Fprintln(out, filled(line))
			}
			continue
		}
		words := strings.Fields(strings.TrimPrefix(line, control))
		switch words[0] {
		case "else", "end":
			return at
		case "if":
			yes := on && holds(words[1])
			at = block(at+1, yes)
			if strings.HasSuffix(template[at], " else") {
				at = block(at+1, on && !yes)
			}
		default:
			start := at + 1
			if on {
				for i, item := range strings.Split(row[words[1]], ";") {
					if item == "" {
						continue
					}
					row["it"], row["qty"], _ = strings.Cut(item, "*")
					row["no"] = strconv.Itoa(i + 1)
					block(start, true)
				}
			}
			at = block(start, false)
		}
	}
	return at
}

func main() {
	defer out.Flush()
	for _, r := range table("compose.tsv") {
		pairs[[2]rune{[]rune(r[0])[0], []rune(r[1])[0]}] = []rune(r[2])[0]
	}
	for _, r := range table("fold.tsv") {
		folds[r[0]] = r[1]
	}
	plurals = table("plurals.tsv")
	for _, r := range table("phrases.tsv") {
		phrases[[2]string{r[0], r[1]}] = composed(r[2])
	}
	topics := table("topics.tsv")
	for _, line := range lines("letter.tpl") {
		template = append(template, composed(line))
	}
	rows := table("rows.tsv")
	for n, cells := range rows[1:] {
		for i, cell := range cells {
			row[rows[0][i]] = composed(cell)
		}
		words := tokens(row["note"])
		for _, t := range topics {
			hits := 0
			for _, phrase := range strings.Split(t[2], ";") {
				if occurs(tokens(phrase), words) {
					hits++
				}
			}
			topic[t[0]] = hits >= number(t[1])
		}
		if n > 0 {
			fmt.Fprintln(out, "@between@")
		}
		block(0, true)
	}
}

"""Texts of the template-mill family in eight languages: phrases, notes, names and labels.

Covers plural rules, the words that a topic goes by, and the two tables of characters (which
pairs compose, what a character folds to).  Does not cover the template language.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

PLURALS: dict[str, tuple[str, ...]] = {
    "en": ("1 0 1 1 -",),
    "de": ("1 0 1 1 -",),
    "fr": ("1 0 0 1 -",),
    "pl": ("1 0 1 1 -", "2 10 2 4 12-14"),
    "ru": ("1 10 1 1 11-11", "2 10 2 4 12-14"),
    "sl": ("1 100 1 1 -", "2 100 2 2 -", "3 100 3 4 -"),
    "ja": (),
    "vi": (),
}
"""Rules in order: form, modulus (0 takes the number itself), low, high, and what is excepted of the
number modulo 100.  After the CLDR chart of plural rules, for whole numbers."""
PHRASES: dict[str, dict[str, str]] = {
    "en": {
        "greet": "Dear {name},",
        "count": "we hold {parcels} parcel for you.|we hold {parcels} parcels for you.",
        "late": "We are sorry for the delay at {place}.",
        "damage": "Please send a picture of the damage.",
        "invoice": "The invoice goes to {place}.",
        "quiet": "All goes to plan.",
        "list": "Contents, for {name}:",
        "thanks": "Regards from {place}",
    },
    "de": {
        "greet": "Guten Tag {name},",
        "count": "für Sie liegt {parcels} Paket bereit.|für Sie liegen {parcels} Pakete bereit.",
        "late": "Die Verspätung in {place} tut uns leid.",
        "damage": "Bitte schicken Sie ein Bild vom Schaden.",
        "invoice": "Die Rechnung geht an {place}.",
        "quiet": "Alles läuft nach Plan.",
        "list": "Inhalt, für {name}:",
        "thanks": "Grüße aus {place}",
    },
    "fr": {
        "greet": "Bonjour {name},",
        "count": "{parcels} boîte vous attend.|{parcels} boîtes vous attendent.",
        "late": "Nous regrettons le retard à {place}.",
        "damage": "Merci d'envoyer une photo des dégâts.",
        "invoice": "La facture part pour {place}.",
        "quiet": "Tout se passe comme prévu.",
        "list": "Contenu, pour {name} :",
        "thanks": "Salutations de {place}",
    },
    "pl": {
        "greet": "Dzień dobry {name},",
        "count": "czeka {parcels} paczka.|czekają {parcels} paczki.|czeka {parcels} paczek.",
        "late": "Przepraszamy za opóźnienie: {place}.",
        "damage": "Prosimy o zdjęcie uszkodzenia.",
        "invoice": "Faktura trafi tu: {place}.",
        "quiet": "Wszystko idzie zgodnie z planem.",
        "list": "Zawartość, dla {name}:",
        "thanks": "Pozdrowienia, {place}",
    },
    "ru": {
        "greet": "Здравствуйте, {name}!",
        "count": "вас ждёт {parcels} посылка.|вас ждут {parcels} посылки.|"
        "вас ждут {parcels} посылок.",
        "late": "Извините за опоздание: {place}.",
        "damage": "Пришлите фото повреждений.",
        "invoice": "Счёт отправлен: {place}.",
        "quiet": "Всё идёт по плану.",
        "list": "Содержимое, для {name}:",
        "thanks": "С уважением, {place}",
    },
    "sl": {
        "greet": "Pozdravljeni, {name},",
        "count": "čaka vas {parcels} paket.|čakata vas {parcels} paketa.|"
        "čakajo vas {parcels} paketi.|čaka vas {parcels} paketov.",
        "late": "Oprostite zaradi zamude: {place}.",
        "damage": "Pošljite sliko poškodbe.",
        "invoice": "Račun gre na naslov {place}.",
        "quiet": "Vse poteka po načrtu.",
        "list": "Vsebina, za {name}:",
        "thanks": "Lep pozdrav, {place}",
    },
    "ja": {
        "greet": "{name}様",
        "count": "お荷物は{parcels}個です。",
        "late": "{place}での遅れをお詫びします。",
        "damage": "破損の写真をお送りください。",
        "invoice": "請求書は{place}に送ります。",
        "quiet": "すべて予定どおりです。",
        "list": "内容、{name}様:",
        "thanks": "{place}より",
    },
    "vi": {
        "greet": "Kính gửi {name},",
        "count": "có {parcels} bưu kiện cho quý vị.",
        "late": "Xin lỗi vì sự chậm trễ tại {place}.",
        "damage": "Vui lòng gửi ảnh hư hỏng.",
        "invoice": "Hóa đơn được gửi đến {place}.",
        "quiet": "Mọi việc đúng kế hoạch.",
        "list": "Nội dung, cho {name}:",
        "thanks": "Trân trọng, {place}",
    },
}
Said = tuple[tuple[str, ...], tuple[str, ...]]
NOTES: dict[str, dict[str, Said]] = {
    "en": {
        "delay": (("late*", "no show"), ("The van was LATE again.", "No show, LATELY no call.")),
        "damage": (("broken", "dent*"), ("Box broken, lid dented.", "Two were Dented: see photo.")),
        "invoice": (("invoice*",), ("INVOICE still open?", "No invoices, please!")),
        "": ((), ("Left at the plate rack.", "Unbroken seal; thanks.", "A show, no less.")),
    },
    "de": {
        "delay": (("verspät*", "zu spät"), ("Kam VERSPÄTET an.", "Wieder zu spät, leider.")),
        "damage": (("beschädigt", "kaputt*"), ("Beschädigt, Glas kaputt.", "KAPUTTES Glas!")),
        "invoice": (("rechnung*",), ("Rechnungsbetrag prüfen.", "Die RECHNUNG fehlt.")),
        "": ((), ("Spät abends, zu Fuß.", "Grüße aus der Küche.", "Abrechnung liegt bei.")),
    },
    "fr": {
        "delay": (("en retard", "retardé*"), ("Toujours EN RETARD !", "Colis retardé, sans avis.")),
        "damage": (("abîmé*", "cassé"), ("Boîte ABÎMÉE, pied cassé.", "Cassé à la livraison.")),
        "invoice": (("facture*",), ("Où est la facture ?", "Des FACTURES, svp.")),
        "": ((), ("Retard ? en aucun cas.", "Près du quai, à côté.", "Vélo réparé, merci.")),
    },
    "pl": {
        "delay": (("spóźni*", "za późno"), ("Kurier SPÓŹNIONY.", "Znowu za późno, niestety.")),
        "damage": (("uszkodzon*", "pęknięt*"), ("Uszkodzone, szkło pęknięte.", "USZKODZONA!")),
        "invoice": (("faktur*",), ("Proszę o fakturę.", "Brak FAKTURY!")),
        "": ((), ("Późno, za bramą.", "Dziękuję za żurek.", "Nieuszkodzone, dzięki.")),
    },
    "ru": {
        "delay": (("опозда*", "не пришл*"), ("Курьер ОПОЗДАЛ.", "Посылка не пришла, жду.")),
        "damage": (("повреж*", "разбит*"), ("Ящик повреждён, крышка разбита.", "ПОВРЕЖДЕНА.")),
        "invoice": (("счёт*",), ("Пришлите счёт.", "СЧЁТА нет!")),
        "": ((), ("Не звонить, пришли фото.", "Щёлкает замок, всё тихо.", "Расчёт верный.")),
    },
    "sl": {
        "delay": (("zamuj*", "prepozno"), ("Paket ZAMUJA.", "Spet prepozno, žal.")),
        "damage": (("poškodovan*", "počen*"), ("Poškodovana, steklo počeno.", "POŠKODOVAN.")),
        "invoice": (("račun*",), ("Prosim za račun.", "RAČUNA ni!")),
        "": ((), ("Pozno, pri čebelnjaku.", "Hvala za čaj.", "Nepoškodovano, hvala.")),
    },
    "ja": {
        "delay": (("遅れ", "未着"), ("荷物、遅れ、三日。", "未着。至急 確認")),
        "damage": (("破損", "割れ"), ("箱 破損、皿 割れ。", "破損、写真あり。")),
        "invoice": (("請求書",), ("請求書、未受領。", "請求書 希望。")),
        "": ((), ("遅れなし、感謝。", "玄関前、置き配。", "ガラス、プレゼント。")),
    },
    "vi": {
        "delay": (("trễ", "quá chậm"), ("Giao TRỄ, thưa quý vị.", "Hàng quá chậm, ba ngày.")),
        "damage": (("hỏng", "bể"), ("Hộp HỎNG, ly bể.", "Nắp hỏng rồi.")),
        "invoice": (("hóa đơn",), ("Xin gửi hóa đơn.", "HÓA ĐƠN ở đâu?")),
        "": ((), ("Đơn hàng đẹp, cảm ơn.", "Hóa ra là ở cổng.", "Chậm quá cũng được.")),
    },
}  # fmt: skip
"""By language and topic: what it goes by, and notes; those under "" are about none."""
NAMES: dict[str, tuple[str, ...]] = {
    "en": ("Zoë Hughes", "Ngô͘ Tek-hôa", "Seán O'Dowd"),
    "de": ("Jürgen Groß", "Sören Weiß", "Käthe Löwe-Öhm"),
    "fr": ("Hélène Lefèvre", "Noël Béranger", "Anaïs d'Août"),
    "pl": ("Małgorzata Żak", "Łukasz Jóźwik", "Święta Gęś"),
    "ru": ("Пётр Йорданов", "Алёна Щукина", "Юрий Цой"),
    "sl": ("Živa Črnčec", "Žiga Škof", "Šaša Čuk"),
    "ja": ("高橋一郎", "佐藤花子", "ガブリエラ渡辺"),
    "vi": ("Nguyễn Thị Hạnh", "Trần Đức Long", "Đặng Ngọc Ẩn"),
}
LABELS = (
    "Überzug", "plaque d'appui", "ложка", "茶碗", "硯", "čaša", "ống kính", "żarówka", "bölme",
    "タイヤ", "крючок", "Nô͘-á",
)  # fmt: skip
TWINS = {"ß": "ss", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D"}
"""Foldings that do not follow from canonical decompositions."""
KANA = "\u3099\u309a"
"""Marks that change the sound of a Japanese character; folding keeps them."""
LANGUAGES = tuple(PLURALS)
TOPICS = ("delay", "damage", "invoice")


def composing(texts: Iterable[str]) -> list[tuple[str, str, str]]:
    """Return the pairs (base, mark, composed) of all characters of these composed texts."""
    triples: dict[str, tuple[str, str, str]] = {}
    waiting = [c for c in sorted(set("".join(texts))) if not c.isascii()]
    while waiting:
        one = waiting.pop()
        parts = unicodedata.decomposition(one).split()
        if len(parts) == 2 and one not in triples:
            base, mark = (chr(int(part, 16)) for part in parts)
            triples[one] = (base, mark, one)
            waiting.append(base)
    return [triples[one] for one in sorted(triples)]


def unmarked(text: str) -> str:
    """Return a text as typed on a keyboard without marks."""
    bare = unicodedata.normalize("NFD", text)
    kept = "".join(c for c in bare if not unicodedata.combining(c) or c in KANA)
    return unicodedata.normalize("NFC", "".join(TWINS.get(c, c) for c in kept))


def folding(texts: Iterable[str]) -> list[tuple[str, str]]:
    """Return the folding of each character outside ASCII that has one."""
    pairs = []
    for one in sorted(set("".join(texts))):
        folded = unmarked(one).lower()
        if not one.isascii() and folded != one:
            pairs.append((one, folded))
    return pairs

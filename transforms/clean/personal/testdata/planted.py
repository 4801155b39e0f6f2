"""Prints sentences with one item of personal data each, as lines of JSON: phone numbers of 33 regions in five written forms by
phonenumbers, account numbers by schwifty, and cards and addresses by faker. The argument is the number of sentences."""
import json
import random
import sys

import phonenumbers
from faker import Faker
from phonenumbers import PhoneNumberFormat as Format, PhoneNumberType as Type
from schwifty import IBAN

random.seed(7)
Faker.seed(7)
REGIONS = "US GB DE FR ES IT PT NL BE AT CH SE NO DK FI PL CZ SK HU RO BG GR TR RU UA JP KR CN IN BR AR LT UY".split()
BANKS = [region for region in REGIONS if region not in ("US", "JP", "KR", "CN", "IN", "RU", "AR", "UY")]
FRAMES = ["Please write or call: {} at any time.", "{}", "Reach us on {}, Monday to Friday.", "Our office ({}) is open.",
          "Number {} belongs to Ms Miller.", "See also {}; we answer soon."]
fake = Faker(["en_US", "de_DE", "fr_FR", "es_ES", "it_IT", "pl_PL", "pt_BR", "nl_NL"])


def phone(region):
    while True:
        example = phonenumbers.example_number_for_type(region, random.choice([Type.FIXED_LINE, Type.MOBILE]))
        digits = str(example.national_number)
        keep = random.choice([2, 3, 4])
        example.national_number = int(digits[:keep] + "".join(random.choice("0123456789") for _ in digits[keep:]))
        if phonenumbers.is_valid_number(example) and phonenumbers.region_code_for_number(example) == region:
            form = random.choice([Format.E164, Format.INTERNATIONAL, Format.NATIONAL, Format.NATIONAL, Format.RFC3966])
            return phonenumbers.format_number(example, form).removeprefix("tel:")


def account(_):
    while True:
        try:
            number = IBAN.random(random.choice(BANKS), random=random)
        except ValueError:  # of some banks it makes none
            continue
        return random.choice([number.formatted, number.compact])


def card(_):
    number = fake.credit_card_number(random.choice(["mastercard", "visa16", "visa19", "amex", "discover", "diners", "jcb16"]))
    if random.random() < .5:
        return number
    cuts = [0] + [c for c in ([4, 10] if len(number) < 16 else [4, 8, 12, 16]) if c < len(number)] + [len(number)]
    return random.choice(" -").join(number[a:b] for a, b in zip(cuts, cuts[1:]))


def mail(_):
    return random.choice([fake.ascii_company_email(), fake.ascii_free_email()])


def address(_):
    if random.random() < .7:
        return fake.ipv4_public()
    return "2a%02x:" % random.randrange(256) + fake.ipv6().split(":", 1)[1]


MAKERS = [("phone", phone), ("phone", phone), ("iban", account), ("card", card), ("email", mail), ("ip", address)]
for i in range(int(sys.argv[1])):
    kind, make = MAKERS[i % len(MAKERS)]
    region = REGIONS[i // len(MAKERS) % len(REGIONS)]
    item = make(region)
    print(json.dumps({"kind": kind, "region": region, "item": item, "text": random.choice(FRAMES).format(item)}))

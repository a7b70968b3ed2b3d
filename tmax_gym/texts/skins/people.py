"""Pools of first names and surnames that skins draw their people from: data only."""

POOLS: dict[str, tuple[str, str]] = {
    "north": (
        "Ida Sverre Maja Eskil Ronja Torben Liv Anders Signe Henrik Tuva Aksel",
        "Alvik Brandvold Dalgaard Ekholm Fossum Grindal Hovden Kjaer Lindeberg "
        "Myrset Nordby Solheim",
    ),
    "celt": (
        "Aoife Callum Niamh Rhys Sorcha Ewan Mairi Declan Carys Fergus Eilidh Owain",
        "Gallacher Penhale Maguire Trevanion Kerrigan Macrae Prosser Donnelly Lennox Roskilly "
        "Sweeney Urquhart",
    ),
    "iberia": (
        "Inés Tomás Marisol Nuno Beatriz Iker Lucía Duarte Pilar Gonzalo Catarina Xabier",
        "Abreu Balcells Carrasco Etxeberria Figueira Galindo Lacerda Monforte Otero Quintana "
        "Seabra Varela",
    ),
    "slav": (
        "Milena Pavel Zofia Bogdan Irina Luka Katarzyna Stanislav Vesna Oleg Danuta Miroslav",
        "Babic Dvorak Gajewski Horvat Kolar Lisowska Marek Novotny Petrov Sikora Vukovic Zelenko",
    ),
    "desi": (
        "Asha Rohan Meera Vikram Farida Arjun Lakshmi Imran Nandini Sanjay Tara Kiran",
        "Bhatt Chaudhry Deshmukh Fernando Ganguly Iyer Kulkarni Malhotra Nair Pillai Rao Siddiqui",
    ),
    "nippon": (
        "Haruka Kenji Yuna Takumi Emi Sora Naoko Daichi Reiko Shun Aya Minoru",
        "Aoyama Fujikawa Hamada Ishii Kuroda Matsuda Nishimura Okabe Sakata Tamura Ueno Yamane",
    ),
    "sahel": (
        "Amina Kwame Zainab Tunde Fatou Kofi Nia Sekou Chidinma Baraka Adjoa Idris",
        "Adeyemi Boateng Cissé Diallo Eze Kamau Mensah Ndiaye Okafor Sarr Toure Wanjiru",
    ),
    "levant": (
        "Leila Omar Yasmin Tariq Shirin Emre Noor Karim Defne Samir Rania Cem",
        "Aydin Barakat Darwish Farahani Haddad Karimi Mansour Nasser Ozturk Rahimi Saleh Yildiz",
    ),
    "andes": (
        "Camila Mateo Valeria Joaquín Ximena Thiago Renata Emilio Paloma Bruno Antonia Ramiro",
        "Aguirre Benavides Cárdenas Espinoza Fuentes Huamán Jaramillo Loayza Mamani Ordóñez "
        "Quispe Villalba",
    ),
    "rhine": (
        "Anneke Jonas Frieda Lars Mathilde Wouter Greta Florian Sanne Matthias Elke Ruben",
        "Achterberg Brinkmann Dijkstra Ebersbach Hoekstra Kessler Lindner Mulder Reinholt Steiner "
        "Terpstra Vogler",
    ),
    "han": (
        "Mei Jun Xiaolan Wei Lian Haoran Ying Bo Qing Zhen Minh Linh",
        "Chen Deng Fang Guo Huang Jiang Luo Ngo Pan Shen Tran Zhou",
    ),
    "gaul": (
        "Élodie Bastien Margaux Thibault Noémie Gaspard Clémence Rémi Solène Luc Apolline Yann",
        "Aubertin Beaumont Carpentier Delorme Fauvel Garnier Lemaire Morvan Pelletier Renaud "
        "Sabatier Vasseur",
    ),
}
"""Pool name to first names and surnames, blank-separated."""
